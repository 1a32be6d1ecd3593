// Generated from the contract by fetch-operations. Do not edit.
import type { Contract } from "fetch-operations/contract-check";

/** The contract that the client was generated from. */
export const contract: Contract = {
  version: "2.1.0",
  hash: "75d520f0b25796a1148375e6614101e499cca054262c623edff86d50e57b5808",
};
