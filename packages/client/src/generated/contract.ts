// Generated from the contract by fetch-operations. Do not edit.
import type { Contract } from "fetch-operations/contract-check";

/** The contract that the client was generated from. */
export const contract: Contract = {
  version: "1.0.0",
  hash: "febb757d8e610076d5920e1e465729fa006334e0d1b3dec993208460ba33a365",
};
