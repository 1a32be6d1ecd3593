/** The operations as single exports, so that bundlers drop those that a program does not call. */
export { call } from "./call.ts";
export { connect, type Connection } from "./connection.ts";
export { checkContract, type ContractCheck } from "./contract-check.ts";
export * from "./generated/operations.ts";
export { paginate } from "./pages.ts";
export type { Call } from "./result.ts";
