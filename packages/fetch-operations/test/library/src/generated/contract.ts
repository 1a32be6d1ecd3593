// Generated from the contract by fetch-operations. Do not edit.
import type { Contract } from "fetch-operations/contract-check";

/** The contract that the client was generated from. */
export const contract: Contract = {
  version: "2.1.0",
  hash: "ad92145f9314383516486c4c4209deb9cfe2aef4bd05d0c9fdf01d0a002a22cb",
};
