import type { Api } from "./api.ts";
import { call, callWith, raw } from "./call/call.ts";
import { connectTo, type Connection } from "./connection.ts";
import type { OperationDescription } from "./operation.ts";
import type { CallOptions, ClientOptions } from "./options.ts";
import { paginate } from "./pages/pages.ts";
import { type InitByPath, requestPartsByPath } from "./request/request-parts.ts";

/**
 * Creates a client: a method for each operation and for each HTTP method, `paginate` for the operations with pages, and `raw`.
 * `operations` has the operations by method name. Throws a TypeError for an invalid option.
 */
export function createClient(
  api: Api,
  operations: Readonly<Record<string, OperationDescription>>,
  options: ClientOptions,
): { connection: Connection; client: object } {
  const connection = connectTo(api, options);
  const methods: Record<string, unknown> = {};
  const pages: Record<string, unknown> = {};
  const responses: Record<string, unknown> = {};
  for (const [name, operation] of Object.entries(operations)) {
    const { method, pages: pagination } = operation;
    methods[name] = call.bind(undefined, connection, operation as never);
    responses[name] = raw.bind(undefined, connection, operation as never);
    if (pagination) pages[name] = paginate.bind(undefined, connection, operation as never);
    methods[method] ??= (path: string, { params, body, contentType, ...rest }: InitByPath & CallOptions = {}) => {
      const called = Object.values(operations).find(
        (candidate) => candidate.method === method && candidate.path === path,
      );
      if (!called)
        throw new TypeError(`The contract has no operation ${method} ${path}. Pass a path template of the contract.`);
      return callWith(connection, called, () => requestPartsByPath(called, { params, body, contentType }), rest);
    };
  }
  return { connection, client: { ...methods, paginate: pages, raw: responses } };
}
