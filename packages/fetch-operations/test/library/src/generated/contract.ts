// Generated from the contract by fetch-operations. Do not edit.
import type { Contract } from "fetch-operations/contract-check";

/** The contract that the client was generated from. */
export const contract: Contract = {
  version: "2.1.0",
  hash: "5210d3a1a0cc763781676d59b49b0698d4d758668a9194c7105250c163dc24bc",
};
