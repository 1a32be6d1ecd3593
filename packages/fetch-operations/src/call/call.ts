import type { Attempt, Connection, Exchange } from "./exchange.ts";
import type { Operation, OperationDescription } from "../operation.ts";
import { type CallOptions, numbersOf, rejectUnknown } from "../options.ts";
import { type RequestParts, requestPartsOf } from "../request/request-parts.ts";
import type { Call, DataOf } from "../result.ts";
import { attempt } from "./attempt.ts";
import { errorOf } from "./failure.ts";

/** Calls an operation. The input has the parameters and the fields of the body side by side. */
export function call<Args extends unknown[], Result>(
  connection: Connection,
  operation: Operation<Args, Result>,
  ...args: Args
): Call<Result> {
  const [input, options] = args as unknown[] as [object | undefined, CallOptions | undefined];
  return callWith(connection, operation, () => requestPartsOf(operation, input), options);
}

/** Calls an operation with the parts of its request, which may throw. */
export function callWith<Result>(
  connection: Connection,
  operation: OperationDescription,
  parts: () => RequestParts,
  options?: CallOptions,
): Call<Result> {
  let last: Exchange;
  // The service guarantees the declared shape; the client checks only what distinguishes a success from an error.
  const typed = send(connection, operation, parts, options).then((exchange) => (last = exchange).result as Result);
  return Object.assign(typed, { orThrow: () => typed.then(() => dataOrThrow(last) as DataOf<Result>) });
}

/** Returns the data of a success. Throws the error of the contract for any other result. */
export function dataOrThrow(exchange: Pick<Exchange, "api" | "operation" | "url" | "result">): unknown {
  if (exchange.result.ok) return exchange.result.data;
  throw errorOf(exchange);
}

/** Sends a request, once or as often as the parts of the connection say. */
export async function send(
  connection: Connection,
  operation: OperationDescription,
  parts: () => RequestParts,
  options?: CallOptions | null,
): Promise<Exchange> {
  const { api, limits, ofCalls, part } = connection;
  const own = options ?? {};
  rejectUnknown(own, ofCalls);
  const settings = options ? (part.limits ?? numbersOf)(options, limits) : limits;
  let request: RequestParts | undefined;
  const given: Attempt = {
    api,
    connection,
    operation,
    isRejected: false,
    limit: limits.maxResponseBytes,
    count: 1,
    options: own,
    parts: () => {
      if (!request) {
        request = parts();
        Object.assign(request.headers, own.headers);
      }
      return request;
    },
  };
  const last = await (part.repeat ?? attempt)(given, settings);
  part.report?.(connection, operation, last.result.response?.headers);
  return last;
}

/** Calls an operation and resolves to the response of a success, with its body unread. Rejects as `orThrow()` does. */
export async function raw<Args extends unknown[]>(
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
  const exchange = await send(connection, { ...operation, read: leaveUnread, empty: [] }, parts, options);
  dataOrThrow(exchange);
  return exchange.response!;
}

/** Leaves the body to the user, so that the signal of the call ends its transfer. */
function leaveUnread(exchange: Exchange): void {
  exchange.isHeld = true;
}
