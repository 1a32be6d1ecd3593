import type { HandlerContext } from "@openapi-operations/api-keys/schemes";
import type { SCHEMES } from "../security.ts";

/** The input that every handler gets: the caller, and the storage with the tables of the handler and of API keys. */
export type Context<Tables = unknown> = HandlerContext<typeof SCHEMES, Tables>;
