// Generated from the contract by fetch-operations. Do not edit.
import type { Contract } from "fetch-operations/contract-check";

/** The contract that the client was generated from. */
export const contract: Contract = {
  version: "2.1.0",
  hash: "d19ccc7800f4a3032b0e302ae5da62239cdd9fe2e094a0b85d0c3bdffbfc3861",
};
