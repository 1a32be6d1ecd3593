import type { RequestParts } from "./attempt.ts";
import { call, send } from "./call.ts";
import { connect } from "./connection.ts";
import type { Contract, ContractCheck } from "./contract-check.ts";
import type { ByOperation, ByPage, ByPath } from "./generated/calls.ts";
import { hash, version } from "./generated/metadata.ts";
import { operations } from "./generated/operations.ts";
import type { OperationId } from "./operation.ts";
import type { CallOptions, PetstoreOptions } from "./options.ts";
import { paginate } from "./pages.ts";

/** A client with a method for each operation and for each HTTP method. */
export interface Petstore extends ByOperation, ByPath {
  /** The lists of the service, to read item by item or page by page. */
  paginate: ByPage;
  /** The contract that this client was generated from. */
  contract: Contract;
  /**
   * Compares the client's contract with the contract that the service publishes, without sending the API key. Needs
   * `crypto.subtle`, which browsers have on HTTPS pages. Rejects with a `PetstoreError` if the document cannot be read.
   */
  checkContract: (options?: CallOptions) => Promise<ContractCheck>;
}

/** Creates a client of the petstore. Throws a TypeError for an invalid `baseUrl`, `apiKey`, time limit or retry option. */
export function createPetstore(options: PetstoreOptions): Petstore {
  const connection = connect(options);
  const methods: Record<string, unknown> = {};
  const pages: Record<string, unknown> = {};
  for (const operation of operations) {
    const { id, method, isPaged } = operation;
    methods[id] = call.bind(undefined, connection, operation as never);
    if (isPaged) pages[id] = paginate.bind(undefined, connection, operation as never);
    methods[method] ??= (path: string, { params = {}, body, ...callOptions }: RequestParts & CallOptions = {}) => {
      const called = operations.find((candidate) => candidate.method === method && candidate.path === path);
      if (!called)
        throw new TypeError(`The contract has no operation ${method} ${path}. Pass a path template of the contract.`);
      return send<OperationId>(connection, called, { params, body }, callOptions);
    };
  }
  return {
    ...methods,
    paginate: pages,
    contract: { version, hash },
    // Loaded on demand, because few programs need it.
    checkContract: async (callOptions?: CallOptions) =>
      (await import("./contract-check.ts")).checkContract(connection, callOptions),
  } as unknown as Petstore; // The generator derives the types and `operations` from the same contract.
}
