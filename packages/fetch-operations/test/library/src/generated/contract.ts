// Generated from the contract by fetch-operations. Do not edit.
import type { Contract } from "fetch-operations/contract-check";

/** The contract that the client was generated from. */
export const contract: Contract = {
  version: "2.1.0",
  hash: "80c7b1c0a19c8a4951ef756482a4dca7640a3f50255f8a8994f727975e1c2b47",
};
