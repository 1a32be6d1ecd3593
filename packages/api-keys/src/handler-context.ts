import type { Storage } from "@platform/storage/storage";
import type { ApiKeysTables } from "./keys.table.ts";

/** The input that every handler gets: the id of the caller's API key, and the storage with the tables of the handler. */
export interface HandlerContext<Tables = ApiKeysTables> {
  caller: { id: number };
  context: Storage<Tables>;
}
