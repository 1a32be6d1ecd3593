import type { Authenticated } from "@platform/api-keys/authentication";
import type { Storage } from "@platform/storage/storage";

/** The caller of a request: the owner of its API key. */
export type Caller = Authenticated["caller"];

/** The input that every handler gets: the caller, and the storage with the tables of the handler. */
export interface Context<Tables = unknown> {
  caller: Caller;
  context: Storage<Tables>;
}
