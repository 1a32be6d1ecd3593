/** The operations as single exports, so that bundlers drop those that a program does not call. */
import { type Connection, connectWith, type Part } from "fetch-operations";
import { api, type PetstoreOptions } from "./generated/api.ts";

export {
  call,
  type Connection,
  deprecations,
  hooks,
  idleTimeouts,
  ownWrites,
  paginate,
  raw,
  retries,
  userAgents,
} from "fetch-operations";
export type { Call } from "./generated/calls.ts";
export { checkContract, type ContractCheck } from "./generated/contract-check.ts";
export * from "./generated/operations.ts";

/**
 * Checks the options and returns a connection with optional parts: `retries`, `hooks`, `deprecations`, `userAgents`, `idleTimeouts` and
 * `ownWrites`.
 * Throws a TypeError for an invalid option; its message never contains the key.
 */
export function connect(options: PetstoreOptions, ...parts: Part[]): Connection {
  return connectWith(api, options, ...parts);
}
