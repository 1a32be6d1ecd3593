import type { Client, FetchResponse, HeadersOptions, MaybeOptionalInit, ParseAs } from "openapi-fetch";
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
 * operation declares, unless `parseAs` says otherwise. The compiler refuses unknown parameters and fields.
 */
export interface PathClient<Paths extends {}> extends Client<Paths> {
  request: {
    <Method extends HttpMethod, Path extends PathOf<Paths, Method>, As extends ParseAs = "json">(
      method: Method,
      url: Path,
      ...init: InitParam<InitOf<Paths, Path, Method>, As>
    ): Promise<ResponseOf<Paths, Path, Method, As>>;
    (...unused: [never, never, never, never]): Promise<any>;
  };
  GET: PathMethod<Paths, "get">;
  PUT: PathMethod<Paths, "put">;
  POST: PathMethod<Paths, "post">;
  DELETE: PathMethod<Paths, "delete">;
  OPTIONS: PathMethod<Paths, "options">;
  HEAD: PathMethod<Paths, "head">;
  PATCH: PathMethod<Paths, "patch">;
}

/**
 * A method of openapi-fetch. No call fits the second signature. It is there because the compiler erases the type parameters of overloads
 * when it compares them with openapi-fetch's `ClientMethod`. Otherwise it puts all paths at once for `Path`. `TRACE`, which `fetch`
 * cannot send, stays as it is, because functions such as `wrapAsPathBasedClient` infer `Paths` from it.
 */
interface PathMethod<Paths extends {}, Method extends HttpMethod> {
  <Path extends PathOf<Paths, Method>, As extends ParseAs = "json">(
    url: Path,
    ...init: InitParam<InitOf<Paths, Path, Method>, As>
  ): Promise<ResponseOf<Paths, Path, Method, As>>;
  (...unused: [never, never, never]): Promise<any>;
}

type HttpMethod = "get" | "put" | "post" | "delete" | "options" | "head" | "patch" | "trace";

/** A member of `PathOf`, and so of `Path` only where the compiler falls back to all paths, because the given one is unknown. */
declare const unknownPath: unique symbol;

type PathOf<Paths, Method extends HttpMethod> =
  | { [Path in keyof Paths]: Paths[Path] extends Record<Method, unknown> ? Path : never }[keyof Paths]
  | typeof unknownPath;

/** The options of a path. Those of all paths together would exceed the compiler's limits in a large contract. */
type InitOf<Paths, Path, Method extends HttpMethod> = typeof unknownPath extends Path
  ? any
  : MaybeOptionalInit<Paths[Path & keyof Paths], Method & keyof Paths[Path & keyof Paths]>;

/** Not inferred from the argument, unlike in openapi-fetch, so that editors lead from it to the types of the contract. */
type InitParam<Init, As> = {} extends Init ? [init?: Init & OwnInit<As>] : [init: Init & OwnInit<As>];

type OwnInit<As> = { parseAs?: As; [option: string]: unknown };

type ResponseOf<Paths, Path, Method extends HttpMethod, As> = FetchResponse<
  Extract<Paths[Path & keyof Paths][Method & keyof Paths[Path & keyof Paths]], object>,
  { parseAs: As },
  `${string}/${string}`
>;

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
  const own: Record<string, unknown> = {};
  for (const name of connection.ofCalls)
    // `credentials` may be an option of `fetch`, such as "include".
    if (typeof init[name] !== (name === "credentials" ? "string" : "undefined")) {
      own[name] = init[name];
      delete init[name];
    }
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
    ...init,
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
