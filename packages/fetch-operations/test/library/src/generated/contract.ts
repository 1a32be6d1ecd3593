// Generated from the contract by fetch-operations. Do not edit.
import type { Contract } from "fetch-operations/contract-check";

/** The contract that the client was generated from. */
export const contract: Contract = {
  version: "2.1.0",
  hash: "48db500dfbc350b9708cabca853094cc68d647e98f2e3a194f3bc59bc79d6d6c",
};
