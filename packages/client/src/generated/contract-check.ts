// Generated from the contract by fetch-operations. Do not edit.
import type { CallOptions, Connection } from "fetch-operations";
import { checkContract as check, type ContractCheck } from "fetch-operations/contract-check";
import { contract } from "./contract.ts";

export type { Contract, ContractCheck } from "fetch-operations/contract-check";

/** A digest of each operation, by its operationId. */
const operationFingerprints = {
  "listPets": "eb056151bfb5c48c",
  "createPet": "933239101a1f413f",
  "getPet": "495e935d7c16f1bc"
};

/**
 * Fetches the contract that the service publishes, without credentials, and compares it with the client's, except `servers`.
 * Rejects with the client's error if it cannot be read.
 */
export async function checkContract(connection: Connection, options?: CallOptions): Promise<ContractCheck> {
  return check(connection, contract, operationFingerprints, "../openapi.json", options);
}
