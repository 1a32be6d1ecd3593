import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isBodyStreamed } from "express-operations";
import { closingError, type ErrorFormat, problem } from "../problems.ts";
import type { Pipeline } from "./pipeline.ts";

/** The time limit for receiving a body, from the end of the headers. Streamed bodies have `STALL_MS` instead. */
const BODY_MS = 15_000;
/**
 * The time limit for sending the rest of a response after the handler has ended it. Only slow clients reach the limit: the
 * system's buffers take the whole rest at once if the client reads. Node has no such limit: a client that reads byte by byte
 * never counts as idle.
 */
const RESPONSE_READ_MS = 5_000;
/**
 * The time limit for a client that accepts no byte of a response that its handler still produces, or sends no byte of a streamed
 * body that its handler reads. A stream has no limit while the service has nothing to send, or does not read.
 */
const STALL_MS = 10_000;
/**
 * The time limit between a response and the next request's headers. Node's `keepAliveTimeout` restarts with each empty line that
 * a client sends.
 */
const IDLE_MS = 8_000;

/** The number of bytes that a client has moved, and the time since when. */
interface Progress {
  bytes: number;
  since: number;
}

/** A request with its response. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  arrivedAt: number;
  endedAt?: number;
  /** The bytes that have arrived of a streamed body, with all earlier bytes of the connection. */
  received?: Progress;
}

/** The state of an open connection. */
export interface Connection {
  pipeline: Pipeline;
  /** The request that has not arrived completely, or whose response is not sent completely. */
  exchange: Exchange | undefined;
  openedAt: number;
  /** The end of the last exchange; undefined while there is one. */
  idleSince: number | undefined;
  /** The bytes that the client has accepted; undefined while nothing is to be sent. */
  accepted: Progress | undefined;
}

/** Ends a connection beyond one of the time limits: for a body, a response or the next request. */
export function endIfSlow(socket: Socket, connection: Connection, format: ErrorFormat): void {
  const { exchange } = connection;
  if (exchange !== undefined) {
    const { request, response } = exchange;
    if (response.writableEnded && !response.closed) exchange.endedAt ??= performance.now();
    if (!request.complete && isBodySlow(exchange)) rejectSlowBody(exchange, format);
    else if (exchange.endedAt !== undefined && performance.now() - exchange.endedAt > RESPONSE_READ_MS)
      socket.destroy();
  }
  if (connection.idleSince !== undefined && performance.now() - connection.idleSince > IDLE_MS) socket.destroy();
  if (isStalled(socket, connection)) socket.destroy();
}

/** Whether a body takes too long. A streamed body may take any time while it arrives, or while its handler does not read. */
function isBodySlow(exchange: Exchange): boolean {
  const { request, arrivedAt } = exchange;
  if (!isBodyStreamed(request)) return performance.now() - arrivedAt > BODY_MS;
  const bytes = request.socket.bytesRead;
  if (request.readableFlowing !== true || exchange.received?.bytes !== bytes)
    exchange.received = { bytes, since: performance.now() };
  return performance.now() - exchange.received.since > STALL_MS;
}

/** Whether the client of a response in progress accepts no bytes, although there are some to send. */
function isStalled(socket: Socket, connection: Connection): boolean {
  const waiting = socket.writableLength + unsentBytes(socket);
  if (waiting === 0) {
    connection.accepted = undefined;
    return false;
  }
  const bytes = socket.bytesWritten - waiting;
  if (connection.accepted?.bytes !== bytes) connection.accepted = { bytes, since: performance.now() };
  return performance.now() - connection.accepted.since > STALL_MS;
}

/** The bytes that Node has handed to the system and that the system has not taken. Node counts them for its own time-outs. */
function unsentBytes(socket: Socket): number {
  return (socket as { _handle?: { writeQueueSize?: number } | null })._handle?.writeQueueSize ?? 0;
}

/** The handler of a streamed body learns from the end of the connection that the client has broken off. */
function rejectSlowBody({ request, response }: Exchange, format: ErrorFormat): void {
  if (response.headersSent || isBodyStreamed(request)) {
    request.socket.destroy();
    return;
  }
  const { status, body, headers } = closingError(problem("request_timeout"), format);
  response.writeHead(status, headers).end(body);
}
