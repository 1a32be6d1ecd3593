// Generated from the contract by fetch-operations. Do not edit.
import type { Contract } from "fetch-operations/contract-check";

/** The contract that the client was generated from. */
export const contract: Contract = {
  version: "2.1.0",
  hash: "5cd326ef79f7d12def29648a382bacd49273edd992f9de792d3509167ff60a50",
};
