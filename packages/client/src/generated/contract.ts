// Generated from the contract by fetch-operations. Do not edit.
import type { Contract } from "fetch-operations/contract-check";

/** The contract that the client was generated from. */
export const contract: Contract = {
  version: "1.0.0",
  hash: "7b0048f8888f32ae223546d333d91ccfc1f6514256b4025c33c1c32a874fe49d",
};
