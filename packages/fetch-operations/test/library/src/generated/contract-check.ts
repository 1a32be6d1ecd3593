// Generated from the contract by fetch-operations. Do not edit.
import type { CallOptions, Connection } from "fetch-operations";
import { checkContract as check, type ContractCheck } from "fetch-operations/contract-check";
import { contract } from "./contract.ts";

export type { Contract, ContractCheck } from "fetch-operations/contract-check";

/** A digest of each operation, by its operationId. */
const operationFingerprints = {
  "list-books": "46377dfbf576f092",
  "addBook": "8d36902bd1fb955f",
  "getBook": "9916f730a1e7d331",
  "replaceBook": "14202d7a4af4288f",
  "delete": "1eec71a93c079a43",
  "peekBook": "f1c3060e03c0119e",
  "GET /books/{id}/cover": "deac0bfc194d7b72",
  "putCover": "34db1a33fd4bd823",
  "addCovers": "c0514ece74cde17a",
  "search": "d0a825791537b0e4",
  "listLoans": "6cd878243c6fdc40",
  "lend": "0bf890d4d6034e90",
  "listAuthors": "505cd604cf0457c6",
  "refreshAuthors": "f72ac5595be17192",
  "watch": "c3d8de9ed3f9ad7b",
  "follow": "88515fcc2cc202cc",
  "readLines": "ef919fec602c817d"
};

/**
 * Fetches the contract that the service publishes, without credentials, and compares it with the client's, except `servers`.
 * Rejects with the client's error if it cannot be read.
 */
export async function checkContract(connection: Connection, options?: CallOptions): Promise<ContractCheck> {
  return check(connection, contract, operationFingerprints, "../contract/openapi.json", options);
}
