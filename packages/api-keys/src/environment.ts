import type { Storage } from "@platform/storage/storage";
import type { ApiKeysTables } from "./keys.table.ts";

/** What every handler is given besides its input: whose API key it is, and the storage of the tables that it names. */
export interface HandlerContext<Tables = ApiKeysTables> {
  caller: { id: number };
  context: Storage<Tables>;
}
