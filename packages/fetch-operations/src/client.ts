import type { Api } from "./api.ts";
import { call, callWith, raw } from "./call/call.ts";
import type { Connection } from "./call/exchange.ts";
import { connectTo } from "./connection.ts";
import type { OperationDescription } from "./operation.ts";
import type { CallOptions, ClientOptions } from "./options.ts";
import type { Followers } from "./pages/follow.ts";
import { paginateBy } from "./pages/pages.ts";
import { type InitByPath, requestPartsByPath } from "./request/request-parts.ts";

/**
 * Creates a client: a method for each operation and for each HTTP method, `paginate` for the operations with pages, and `raw`.
 * `operations` has the operations by method name, and `kinds` the functions for their kinds of pages. Throws a TypeError for an invalid option.
 */
export function createClient(
  api: Api,
  operations: Readonly<Record<string, OperationDescription>>,
  options: ClientOptions,
  kinds: Followers = {},
): { connection: Connection; client: object } {
  const connection = connectTo(api, options);
  const methods: Record<string, unknown> = {};
  const pages: Record<string, unknown> = {};
  const responses: Record<string, unknown> = {};
  for (const [name, operation] of Object.entries(operations)) {
    const { method } = operation;
    methods[name] = call.bind(null, connection, operation as never);
    responses[name] = raw.bind(null, connection, operation as never);
    if (operation.pages) pages[name] = paginateBy.bind(null, kinds, connection, operation as never);
    methods[method] ??= (path: string, { params, body, contentType, ...rest }: InitByPath & CallOptions = {}) => {
      const called = Object.values(operations).find((other) => other.method === method && other.path === path);
      if (!called)
        throw new TypeError(`The contract has no operation ${method} ${path}. Pass a path template of the contract.`);
      return callWith(connection, called, () => requestPartsByPath(called, { params, body, contentType }), rest);
    };
  }
  return { connection, client: { ...methods, paginate: pages, raw: responses } };
}
