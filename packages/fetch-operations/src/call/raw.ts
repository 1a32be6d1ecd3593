import type { Connection, Exchange } from "./exchange.ts";
import type { Operation, OperationDescription } from "../operation.ts";
import type { CallOptions } from "../options.ts";
import { type RequestParts, requestPartsOf } from "../request/request-parts.ts";
import { dataOrThrow, send } from "./call.ts";

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
