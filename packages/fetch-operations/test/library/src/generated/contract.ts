// Generated from the contract by fetch-operations. Do not edit.
import type { Contract } from "fetch-operations/contract-check";

/** The contract that the client was generated from. */
export const contract: Contract = {
  version: "2.1.0",
  hash: "1840312ff454dbb4210169d6a53e24d47e58342e4841c0775795a4f5af6a0e09",
};
