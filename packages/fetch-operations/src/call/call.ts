import { keyOf, type Operation, type OperationDescription } from "../operation.ts";
import { addressOf, type CallOptions, rejectUnknown } from "../options.ts";
import { type RequestParts, requestPartsOf } from "../request/request-parts.ts";
import type { Reader } from "../response/read-body.ts";
import { readJson } from "../response/read-json.ts";
import type { Call, DataOf, UntypedResult } from "../result.ts";
import { fetchOf } from "./call-fetch.ts";
import type { Connection, Exchange, ResponseExchange } from "./exchange.ts";
import { CallFailure, unsendable } from "./call-failure.ts";
import { errorOf, errorResult, failureOf, responseOf, valueOf } from "./failure.ts";

/** Calls an operation. The input has the parameters and the fields of the body side by side. */
export function call<Args extends unknown[], Result>(
  connection: Connection,
  operation: Operation<Args, Result>,
  ...args: Args
): Call<Result> {
  const [input, options] = args as unknown[] as [object | undefined, CallOptions | undefined];
  let last: Exchange;
  // The service guarantees the declared shape; the client checks only what distinguishes a success from an error.
  const sent = send(connection, operation, () => requestPartsOf(operation, input), options);
  const typed = sent.then((exchange) => (last = exchange).result as Result);
  return Object.assign(typed, { orThrow: () => typed.then(() => dataOrThrow(last) as DataOf<Result>) });
}

/** Returns the data of a success. Throws the error of the contract for any other result. */
export function dataOrThrow(exchange: Parameters<typeof errorOf>[0]): unknown {
  if (exchange.result.ok) return exchange.result.data;
  throw errorOf(exchange);
}

/** The options of a call without any. */
const NONE: CallOptions = {};

/** Sends a request by openapi-fetch. Rejects only for an invalid option, or if a function of the user throws. */
export async function send(
  connection: Connection,
  operation: OperationDescription,
  parts: () => RequestParts,
  given?: CallOptions | null,
): Promise<Exchange> {
  const options = given ?? NONE;
  rejectUnknown(options, connection.ofCalls);
  const exchange = exchangeOf(connection, operation, parts, options);
  try {
    const { target, ...init } = requestOf(exchange);
    // openapi-fetch writes methods in upper case, but they are case-sensitive (RFC 9110, section 9.1).
    const method = { toUpperCase: () => operation.method } as string;
    const { error, response } = await connection.client.request(method, target, {
      ...init,
      baseUrl: exchange.baseUrl,
      fetch: fetchOf(exchange),
      parseAs: "stream", // The reader of the operation reads a success.
      ...(exchange.signal && { signal: exchange.signal }),
    });
    exchange.response = response;
    const isSuccess = response.ok && keyOf(operation.success, response.status) !== undefined;
    exchange.result = isSuccess
      ? await successOf(exchange as ResponseExchange)
      : errorResult(exchange as ResponseExchange, response.ok ? valueOf(await response.text()) : error);
  } catch (cause) {
    exchange.result = failureOf(exchange, cause);
  }
  return exchange;
}

/** Returns a call that has not begun. Throws for an invalid option. */
export function exchangeOf(
  connection: Connection,
  operation: OperationDescription,
  parts: () => RequestParts,
  options: CallOptions,
): Exchange {
  const { api, limits, limitsOf } = connection;
  const settings = options === NONE ? limits : limitsOf(options, limits);
  const baseUrl =
    options.baseUrl === undefined ? connection.baseUrlOf(operation) : addressOf("baseUrl", options.baseUrl);
  rejectUnknown(options.credentials ?? {}, Object.keys(api.schemes), "credentials.");
  const result = undefined as never; // until the end of the call
  // A signal of the call, so that one of the program gets no listener for each call.
  const signal = options.signal ? AbortSignal.any([options.signal]) : undefined;
  return {
    api,
    connection,
    operation,
    options,
    settings,
    baseUrl,
    signal,
    parts,
    attempt: 0,
    secrets: [],
    result,
  };
}

/** Returns the parts of a request, with the headers of the call. Throws for a value that cannot be sent. */
export function requestOf(exchange: Exchange): Omit<RequestParts, "headers"> & { headers: Headers } {
  const { connection, operation, options } = exchange;
  try {
    const parts = exchange.parts();
    const shared = connection.parts.map(({ headersOf }) => headersOf?.(operation));
    const headers = mergedHeaders(...shared, parts.headers, options.headers);
    exchange.isOnce = parts.duplex !== undefined;
    return { ...parts, headers };
  } catch (cause) {
    throw cause instanceof CallFailure ? cause : unsendable("See cause.", cause);
  }
}

/**
 * Merges headers as openapi-fetch does: later ones take precedence in any case of letters, undefined is none, and null removes. Throws for
 * a name or a value that is no header.
 */
function mergedHeaders(...given: (object | undefined)[]): Headers {
  const merged = new Headers();
  for (const headers of given)
    for (const [name, value] of Object.entries(headers ?? {}) as [string, unknown][]) {
      if (value === undefined) continue;
      merged.delete(name);
      if (value !== null) for (const item of [value].flat() as string[]) merged.append(name, item);
    }
  return merged;
}

/** Returns the result of a declared success. */
async function successOf(exchange: ResponseExchange): Promise<UntypedResult> {
  const { status } = exchange.response;
  const data = await readSuccess(exchange);
  const { contentType } = exchange;
  return { ok: true, status, data, ...responseOf(exchange), ...(contentType && { contentType }) };
}

/** Reads the body of a success as its declared media type. Returns undefined for a response that has none by its status. */
export async function readSuccess(exchange: ResponseExchange): Promise<unknown> {
  const { operation, response } = exchange;
  const { status } = response;
  const key = keyOf(operation.success, status);
  if (operation.method !== "HEAD" && status !== 204 && status !== 205 && !operation.empty?.includes(key!))
    return ((operation.read as Reader | undefined) ?? readJson)(exchange);
  await response.body?.cancel();
  return undefined;
}

/** Calls an operation and resolves to the response of a success, with its body unread. Rejects as `orThrow()` does. */
export function raw<Args extends unknown[]>(
  connection: Connection,
  operation: Operation<Args>,
  ...args: Args
): Promise<Response> {
  const [input, options] = args as unknown[] as [object | undefined, CallOptions | undefined];
  return sendRaw(connection, operation, () => requestPartsOf(operation, input), options);
}

/** Sends a request and resolves to the response of a success, with its body unread. */
export async function sendRaw(
  connection: Connection,
  operation: OperationDescription,
  parts: () => RequestParts,
  options?: CallOptions,
): Promise<Response> {
  const unread = { ...operation, read: leaveUnread, streams: true as const, empty: [] };
  const exchange = await send(connection, unread, parts, options);
  dataOrThrow(exchange);
  return exchange.response!;
}

/** Leaves the body to the user, so that the signal of the call ends its transfer. */
function leaveUnread(exchange: Exchange): void {
  exchange.isHeld = true;
}
