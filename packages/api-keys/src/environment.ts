import type { Storage } from "@platform/storage/storage";
import type { ApiKeysTables } from "./keys.table.ts";

/** The context of every handler: the id of the caller's API key, and the storage with the tables that it names. */
export interface HandlerContext<Tables = ApiKeysTables> {
  caller: { id: number };
  context: Storage<Tables>;
}
