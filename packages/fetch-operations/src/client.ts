import type { Client, HeadersOptions } from "openapi-fetch";
import type { Api } from "./api.ts";
import { call, exchangeOf, raw, readSuccess, requestOf } from "./call/call.ts";
import type { Connection } from "./call/exchange.ts";
import { fetchOf } from "./call/call-fetch.ts";
import { connectTo } from "./connection.ts";
import type { OperationDescription } from "./operation.ts";
import type { ClientOptions } from "./options.ts";
import type { Followers } from "./pages/follow.ts";
import { paginateBy } from "./pages/pages.ts";
import { type InitByPath, requestPartsByPath } from "./request/request-parts.ts";

/**
 * openapi-fetch's client: https://openapi-ts.dev/openapi-fetch/api. Its methods take the options of calls too. Bodies are read as the
 * operation declares, unless `parseAs` says otherwise.
 */
export interface PathClient<Paths extends {}> extends Client<Paths> {}

const METHODS = ["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"];

/**
 * Creates a client: openapi-fetch's, with a method for each operation, `paginate` for those with pages, and `raw`. `operations` has the
 * operations by method name, and `kinds` the functions for their kinds of pages. Throws a TypeError for an invalid option.
 */
export function createClient(
  api: Api,
  operations: Readonly<Record<string, OperationDescription>>,
  options: ClientOptions,
  kinds: Followers = {},
): { connection: Connection; client: object } {
  const connection = connectTo(api, options);
  const client: Record<string, unknown> = { ...connection.client };
  const pages: Record<string, unknown> = {};
  const responses: Record<string, unknown> = {};
  const known = new Map<string, OperationDescription>();
  for (const [name, operation] of Object.entries(operations)) {
    const id = `${operation.method} ${operation.path}`;
    if (!known.has(id)) known.set(id, operation);
    client[name] = call.bind(null, connection, operation as never);
    responses[name] = raw.bind(null, connection, operation as never);
    if (operation.pages) pages[name] = paginateBy.bind(null, kinds, connection, operation as never);
  }
  const request = (method: string, path: string, init?: ByPath) => {
    const id = `${method.toUpperCase()} ${path}`;
    return requestByPath(connection, known.get(id) ?? { ...UNKNOWN, id, method: method.toUpperCase(), path }, init);
  };
  for (const method of METHODS) client[method] = request.bind(null, method);
  return { connection, client: { ...client, request, paginate: pages, raw: responses } };
}

/** What is known of an operation that the contract does not have. */
const UNKNOWN = { parameters: {}, success: ["2XX"] } satisfies Partial<OperationDescription>;

/** The options of openapi-fetch's methods, and those of a call. */
type ByPath = InitByPath & { parseAs?: string; headers?: HeadersOptions } & Record<string, unknown>;

/**
 * Sends a request by openapi-fetch's `request`. Parameters and body are written as the operation declares, and the body of a
 * success is read so, unless the options have a serializer or `parseAs`.
 */
async function requestByPath(
  connection: Connection,
  operation: OperationDescription,
  { params, body, contentType, headers, parseAs, ...init }: ByPath = {},
): Promise<object> {
  // `credentials` may be an option of \`fetch\`, such as "include". openapi-fetch itself takes the signal.
  const isOwn = ([name, value]: [string, unknown]) =>
    name !== "signal" &&
    typeof value !== (name === "credentials" ? "string" : "undefined") &&
    connection.ofCalls.includes(name);
  const own = Object.fromEntries(Object.entries(init).filter(isOwn));
  const rest = Object.fromEntries(Object.entries(init).filter((option) => !isOwn(option)));
  const given = Object.entries(headers instanceof Headers ? Object.fromEntries(headers) : (headers ?? {}));
  const lower = new Map(given.map(([name, value]) => [name.toLowerCase(), value as unknown]));
  const type = contentType ?? (lower.get("content-type") as string | undefined) ?? undefined;
  const parts = () => requestPartsByPath(operation, { params, body, contentType: type });
  const exchange = exchangeOf(connection, operation, parts, own);
  if (parseAs === "stream") exchange.operation = { ...operation, streams: true };
  const { target, headers: written, ...request } = requestOf(exchange);
  const { data, error, response } = await connection.client.request(operation.method, target, {
    ...request,
    ...rest,
    baseUrl: exchange.baseUrl,
    headers: headers as object | undefined,
    // openapi-fetch prefers these headers to those of the call.
    params: {
      ...params,
      ...request.params,
      header: Object.fromEntries([...written].filter(([name]) => !lower.has(name))),
    },
    fetch: fetchOf(exchange),
    parseAs: parseAs ?? "stream",
  });
  if (!response.ok) return { error, response };
  if (parseAs !== undefined || data === undefined) return { data, response };
  return { data: await readSuccess(Object.assign(exchange, { response })), response };
}
