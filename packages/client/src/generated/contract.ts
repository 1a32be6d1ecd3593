// Generated from the contract by fetch-operations. Do not edit.
import type { Contract } from "fetch-operations/contract-check";

/** The contract that the client was generated from. */
export const contract: Contract = {
  version: "1.0.0",
  hash: "6a8df253132b4daadabfc14b7d4e8faa3300fe935f51031d0b4c2c31dba909fd",
};
