// Generated from the contract by fetch-operations. Do not edit.
import type { Contract } from "fetch-operations/contract-check";

/** The contract that the client was generated from. */
export const contract: Contract = {
  version: "2.1.0",
  hash: "275ef247b99635476eb08ed2741387b5eda7634c272d7cb94076ba406fc0bca7",
};
