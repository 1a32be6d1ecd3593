// Generated from the contract by fetch-operations. Do not edit.
import type { CallOptions, Connection } from "fetch-operations";
import { checkContract as check, type ContractCheck } from "fetch-operations/contract-check";
import { contract } from "./contract.ts";

export type { Contract, ContractCheck } from "fetch-operations/contract-check";

/** A digest of each operation, by its operationId. */
const operationFingerprints = {
  "listPets": "f83565b9a86b41b9",
  "createPet": "f1bcee49de8284ca",
  "getPet": "878573d165e2f201"
};

/**
 * Fetches the contract that the service publishes, without credentials, and compares it with the client's, except `servers`.
 * Rejects with the client's error if it cannot be read.
 */
export async function checkContract(connection: Connection, options?: CallOptions): Promise<ContractCheck> {
  return check(connection, contract, operationFingerprints, "../openapi.json", options);
}
