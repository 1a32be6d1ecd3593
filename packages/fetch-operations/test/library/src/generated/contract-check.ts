// Generated from the contract by fetch-operations. Do not edit.
import type { CallOptions, Connection } from "fetch-operations";
import { checkContract as check, type ContractCheck } from "fetch-operations/contract-check";
import { contract } from "./contract.ts";

export type { Contract, ContractCheck } from "fetch-operations/contract-check";

/** A digest of each operation, by its operationId. */
const operationFingerprints = {
  "list-books": "8aa9ca9be9c07297",
  "addBook": "a620ebc634dfc52b",
  "getBook": "db757f0073d6e0ed",
  "replaceBook": "2482c5abfe46c6f7",
  "delete": "4f00c03edd0afe09",
  "peekBook": "6367bc72af625438",
  "GET /books/{id}/cover": "773890c48b2102d2",
  "putCover": "05a768ffead59391",
  "addCovers": "35a52650ab61624c",
  "search": "518c262311daf597",
  "listLoans": "27ee2b9b5d44e829",
  "lend": "5122064231b2b854",
  "listAuthors": "54ed9b2bdd03a773",
  "refreshAuthors": "0c1e804536f438dc",
  "watch": "0148074e41aab9bf",
  "follow": "03a132612a4752c4",
  "readLines": "e17d7640bcc16939"
};

/**
 * Fetches the contract that the service publishes, without credentials, and compares it with the client's, except `servers`.
 * Rejects with the client's error if it cannot be read.
 */
export async function checkContract(connection: Connection, options?: CallOptions): Promise<ContractCheck> {
  return check(connection, contract, operationFingerprints, "../contract/openapi.json", options);
}
