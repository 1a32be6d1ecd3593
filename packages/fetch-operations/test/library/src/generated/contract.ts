// Generated from the contract by fetch-operations. Do not edit.
import type { Contract } from "fetch-operations/contract-check";

/** The contract that the client was generated from. */
export const contract: Contract = {
  version: "2.1.0",
  hash: "c5c05429748b0ae5e242f7a849d734c8e0b14e847dca3672ba4158f4e74e0e47",
};
