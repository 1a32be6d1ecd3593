// Generated from the contract by fetch-operations. Do not edit.
import { type CallOptions, createClient, followLink, followOffset, followNumber, type PathClient } from "fetch-operations";
import type { Contract, ContractCheck } from "fetch-operations/contract-check";
import { api, type LibraryOptions } from "./api.ts";
import type { ByOperation, ByPage, Raw } from "./calls.ts";
import { contract } from "./contract.ts";
import { operations } from "./operations.ts";
import type { paths } from "./schema.ts";

/** openapi-fetch's client, with a method for each operation. */
export interface Library extends ByOperation, PathClient<paths> {
  /** The lists of the service, to read item by item or page by page. */
  paginate: ByPage;
  /** Calls that resolve to the response of a success, with its body unread. They reject as `orThrow()` does. */
  raw: Raw;
  /** The contract that this client was generated from. */
  contract: Contract;
  /**
   * Compares the client's contract with the contract that the service publishes, without sending credentials. Needs
   * `crypto.subtle`, which browsers have on HTTPS pages. Rejects with a `LibraryError` if the document cannot be read.
   */
  checkContract: (options?: CallOptions) => Promise<ContractCheck>;
}

/** Creates a client. Throws a TypeError for an invalid option. */
export function createLibrary(options: LibraryOptions): Library {
  const { client, connection } = createClient(api, operations, options, { link: followLink, offset: followOffset, page: followNumber });
  // Loaded on demand, because few programs need it.
  const checkContract = async (callOptions?: CallOptions) =>
    (await import("./contract-check.ts")).checkContract(connection, callOptions);
  return { ...client, contract, checkContract } as Library;
}
