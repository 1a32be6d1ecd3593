import type { Client, HeadersOptions } from "openapi-fetch";
import type { Api } from "./api.ts";
import { call, exchangeOf, raw, readSuccess, requestOf } from "./call/call.ts";
import type { Connection } from "./call/exchange.ts";
import { fetchOf } from "./call/call-fetch.ts";
import { errorOf, failureOf } from "./call/failure.ts";
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
  // `credentials` may be an option of `fetch`, such as "include".
  const isOwn = ([name, value]: [string, unknown]) =>
    typeof value !== (name === "credentials" ? "string" : "undefined") && connection.ofCalls.includes(name);
  const own = Object.fromEntries(Object.entries(init).filter(isOwn));
  const rest = Object.fromEntries(Object.entries(init).filter((option) => !isOwn(option)));
  const given =
    headers instanceof Headers ? Object.fromEntries(headers) : (headers as Record<string, string> | undefined);
  const typed = Object.entries(given ?? {}).find(([name]) => name.toLowerCase() === "content-type");
  // A body with a serializer of the call's own is left to it.
  const written = init["bodySerializer"] === undefined ? { body, contentType: contentType ?? typed?.[1] } : {};
  const parts = () => requestPartsByPath(operation, { params, ...written });
  const exchange = exchangeOf(connection, operation, parts, { ...own, headers: given });
  const streams = parseAs === "stream" || (parseAs === undefined ? operation.streams : undefined);
  exchange.operation = { ...operation, streams };
  const { target, ...request } = requestOf(exchange);
  const { data, error, response } = await connection.client.request(operation.method, target, {
    ...(body !== undefined && { body }),
    ...request,
    ...rest,
    baseUrl: exchange.baseUrl,
    params: { ...params, header: undefined, ...request.params }, // The headers are written already.
    fetch: fetchOf(exchange),
    parseAs: parseAs ?? "stream",
    ...(exchange.signal && { signal: exchange.signal }),
  });
  if (!response.ok) return { error, response };
  if (parseAs !== undefined || data === undefined) return { data, response };
  try {
    return { data: await readSuccess(Object.assign(exchange, { response })), response };
  } catch (cause) {
    throw errorOf({ ...exchange, result: failureOf(exchange, cause) });
  }
}
