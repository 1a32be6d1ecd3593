import type { Storage } from "./database/storage.ts";

/** What every handler is given besides its input: whose API key it is, and the storage. */
export interface Environment {
  caller: { id: number };
  context: Storage;
}
