import type { Message } from "./attempt.ts";
import { call, send } from "./call.ts";
import { connect } from "./connection.ts";
import type { Contract, ContractCheck } from "./contract-check.ts";
import type { ByOperation, ByPage, ByPath } from "./generated/calls.ts";
import { hash, version } from "./generated/metadata.ts";
import { operations } from "./generated/operations.ts";
import type { OperationId } from "./operation.ts";
import type { CallOptions, PetstoreOptions } from "./options.ts";
import { paginate } from "./pages.ts";

/** The service: a method for each of its operations, and one for each HTTP method. */
export interface Petstore extends ByOperation, ByPath {
  /** Lists, item by item or page by page. */
  paginate: ByPage;
  /** The contract that this client was generated from. */
  contract: Contract;
  /** Compares that contract with the one the service publishes. Rejects with a `PetstoreError` when that cannot be had. */
  checkContract: (options?: CallOptions) => Promise<ContractCheck>;
}

/** A client of the petstore. Throws a TypeError for options that cannot work. */
export function createPetstore(options: PetstoreOptions): Petstore {
  const connection = connect(options);
  const methods: Record<string, unknown> = {};
  const pages: Record<string, unknown> = {};
  for (const operation of operations) {
    const { id, method, isPaged } = operation;
    methods[id] = call.bind(undefined, connection, operation as never);
    if (isPaged) pages[id] = paginate.bind(undefined, connection, operation as never);
    methods[method] ??= (path: string, { params = {}, body, ...callOptions }: Message & CallOptions = {}) => {
      const asked = operations.find((candidate) => candidate.method === method && candidate.path === path);
      if (!asked)
        throw new TypeError(`The contract has no operation ${method} ${path}. Pass a path template of the contract.`);
      return send<OperationId>(connection, asked, { params, body }, callOptions);
    };
  }
  return {
    ...methods,
    paginate: pages,
    contract: { version, hash },
    // Loaded when it is wanted: few programs do.
    checkContract: async (callOptions?: CallOptions) =>
      (await import("./contract-check.ts")).checkContract(connection, callOptions),
  } as unknown as Petstore; // its types are generated from what `operations` is generated from
}
