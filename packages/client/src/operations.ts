/** The operations one by one: a bundle holds those that it calls, and no other. */
export { call } from "./call.ts";
export { connect, type Connection } from "./connection.ts";
export { checkContract, type ContractCheck } from "./contract-check.ts";
export * from "./generated/operations.ts";
export { paginate } from "./pages.ts";
export type { Call } from "./result.ts";
