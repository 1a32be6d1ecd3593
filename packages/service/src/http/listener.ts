import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { isBodyStreamed, normalizePath } from "express-operations";
import { ERRORS } from "../errors.ts";
import { closingError, type ErrorFormat, plainErrors } from "../problems.ts";
import { type AppOrListener, messageClasses } from "./express-messages.ts";
import { createServer } from "./node-http.ts";
import { endWithError, rejectConnection } from "./parser-errors.ts";
import { MAX_TARGET } from "./request-head.ts";

/** An address to listen on, with the names of its settings for error messages. */
export interface Address {
  host: string;
  port: number;
  settings?: string;
}

/** A server that accepts connections. */
export interface Listener {
  /** The origin of its URLs, such as `http://127.0.0.1:3000`. */
  origin: string;
  /** Sends `Connection: close` with each response from now on. New connections are still accepted. */
  drain: () => void;
  /**
   * Stops accepting connections, finishes the requests in flight, and resolves once the last connection is closed. Connections
   * that are open after `timeoutMs` (default: 10 s) are destroyed. Returns their number.
   */
  close: (timeoutMs?: number) => Promise<number>;
}

/** Thrown if the address cannot be listened on. The message names the address and the settings to change. */
export class ListenError extends Error {
  override name = "ListenError";

  constructor({ host, port, settings = "HOST and PORT" }: Address, cause: NodeJS.ErrnoException) {
    const reason = cause.code === "EADDRINUSE" ? "the address is already in use" : cause.message;
    super(`Cannot listen on ${host}:${port}: ${reason}. Set ${settings} to a free address.`, { cause });
  }
}

/** The interval between checks of connections for timeouts, in milliseconds. */
const CHECK_INTERVAL = 1_000;

/** Starts a server for the app. Paths reach the app in normal form. Requests that Node's parser rejects get an Error response. */
export async function listen(
  app: AppOrListener,
  address: Address,
  format: ErrorFormat = plainErrors,
): Promise<Listener> {
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    // A target that is too long stays unchanged, since `checkHead` checks the length that the client sent.
    if (request.url!.length <= MAX_TARGET && request.url!.includes("%")) request.url = normalizeTarget(request.url!);
    if (app.directRoute?.(request, response) !== true) app(request, response);
  };
  const server = createServer(
    {
      ...messageClasses(app),
      headersTimeout: 10_000,
      requestTimeout: 0, // `Connections` limits the time of bodies, because a streamed body may take longer
      connectionsCheckingInterval: CHECK_INTERVAL,
      requireHostHeader: false,
    },
    handle,
  );
  const connections = new Connections(server, format);
  const endIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => connections.endIdleConnections(endIdle); // `server.close` calls it too
  server.on("clientError", (error, socket) => rejectConnection(error, socket, format));
  // The target of CONNECT is another host. `Allow` is empty, since no method is allowed there (RFC 9110, section 10.2.1).
  server.on("connect", (_request, socket) =>
    endWithError(socket.resume(), "method_not_allowed", format, { Allow: "" }),
  );
  // Replaces Node's own 100 Continue. The body reader sends it, so that a request rejected earlier gets none.
  server.on("checkContinue", handle);
  server.on("checkExpectation", (_request: IncomingMessage, response: ServerResponse) => {
    const { body, headers } = closingError("expectation_failed", format);
    response.writeHead(ERRORS.expectation_failed.status, headers).end(body);
  });
  await new Promise<void>((done, failed) => {
    server.once("error", (cause) => failed(new ListenError(address, cause)));
    server.listen(address.port, address.host, done);
  });
  const slowCheck = setInterval(() => connections.endSlowConnections(), CHECK_INTERVAL);
  server.once("close", () => clearInterval(slowCheck));
  const bound = server.address() as AddressInfo;
  return {
    origin: `http://${bound.family === "IPv6" ? `[${bound.address}]` : bound.address}:${bound.port}`,
    drain: () => connections.drain(),
    close: (timeoutMs = 10_000) => close(server, connections, timeoutMs),
  };
}

function normalizeTarget(target: string): string {
  const [path = ""] = target.split("?", 1);
  return normalizePath(path) + target.slice(path.length);
}

async function close(server: Server, connections: Connections, timeoutMs: number): Promise<number> {
  let destroyed = 0;
  // Node keeps connections that become idle after close() for their whole keep-alive time.
  const idleCheck = setInterval(() => server.closeIdleConnections(), CHECK_INTERVAL / 20);
  const end = setTimeout(() => {
    destroyed = connections.destroy();
  }, timeoutMs);
  try {
    await new Promise<void>((done, failed) => server.close((error) => (error ? failed(error) : done())));
  } finally {
    clearInterval(idleCheck);
    clearTimeout(end);
  }
  return destroyed;
}

/** Connections beyond this number are closed at once. Each connection may hold up to 80 KiB of an incomplete request. */
const MAX_CONNECTIONS = 4_096;
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
/** The time limit for the first byte on a new connection while the server closes. */
const FIRST_BYTE_MS = 500;

/** The number of bytes that a client has moved, and the time since when. */
interface Progress {
  bytes: number;
  since: number;
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  arrivedAt: number;
  endedAt?: number;
  /** The bytes that have arrived of a streamed body, with all earlier bytes of the connection. */
  received?: Progress;
}

/** The state of an open connection. */
interface Connection {
  /** The requests that have not arrived completely, or whose responses are not sent completely. */
  exchanges: Exchange[];
  openedAt: number;
  /** The end of the last exchange; undefined while there are exchanges. */
  idleSince: number | undefined;
  /** The bytes that the client has accepted; undefined while nothing is to be sent. */
  accepted: Progress | undefined;
}

/**
 * The open connections of a server, each with its exchanges. A single Set of all exchanges would cost memory: V8 rebuilds a
 * growing Set again and again. Each old table refers to the next, so the entries of all tables stay in memory for long.
 */
class Connections {
  readonly #open = new Map<Socket, Connection>();
  readonly #format: ErrorFormat;
  #isDraining = false;

  /**
   * Limits the number of connections. Node's `maxConnections` is not used: in a cluster it passes a surplus connection from
   * worker to worker without end.
   */
  constructor(server: Server, format: ErrorFormat) {
    this.#format = format;
    server.prependListener("connection", (socket) => {
      if (this.#open.size >= MAX_CONNECTIONS) {
        socket.destroy();
        return;
      }
      const openedAt = now();
      this.#open.set(socket, { exchanges: [], openedAt, idleSince: undefined, accepted: undefined });
      socket.once("close", () => this.#open.delete(socket));
    });
    for (const event of ["request", "checkContinue"] as const)
      server.prependListener(event, (request, response) => this.#add({ request, response, arrivedAt: now() }));
  }

  /** Sends `Connection: close` with each response from now on, also for requests in flight. */
  drain(): void {
    this.#isDraining = true;
    for (const { exchanges } of this.#open.values()) {
      for (const { response } of exchanges) response.shouldKeepAlive = false;
    }
  }

  /** Ends connections beyond one of the time limits: for a body, a response or the next request. */
  endSlowConnections(): void {
    for (const [socket, connection] of this.#open) {
      for (const exchange of connection.exchanges.slice()) {
        const { request, response } = exchange;
        if (response.writableEnded && !response.closed) exchange.endedAt ??= now();
        if (response.closed && request.complete) finish(connection, exchange);
        else if (!request.complete && isBodySlow(exchange)) rejectSlowBody(exchange, this.#format);
        else if (exchange.endedAt !== undefined && now() - exchange.endedAt > RESPONSE_READ_MS) socket.destroy();
      }
      if (connection.idleSince !== undefined && now() - connection.idleSince > IDLE_MS) socket.destroy();
      if (isStalled(socket, connection)) socket.destroy();
    }
  }

  /**
   * Runs Node's own method, which ends connections without a request that has begun to arrive. It would also end one that a
   * client has just opened for a request, and one whose client has not read the whole response yet.
   */
  endIdleConnections(endIdle: () => void): void {
    const connections = [...this.#open];
    const unused = connections.filter(([socket]) => socket.bytesRead === 0);
    const expired = unused.filter(([, { openedAt }]) => now() - openedAt > FIRST_BYTE_MS).map(([socket]) => socket);
    const busy = connections.filter(([, { exchanges }]) => exchanges.length > 0);
    const kept = [...busy, ...unused].map(([socket]) => socket);
    for (const socket of kept) socket.destroy = () => socket;
    endIdle();
    for (const socket of kept) Reflect.deleteProperty(socket, "destroy");
    for (const socket of expired) socket.destroy();
  }

  /** Destroys all connections and returns their number. */
  destroy(): number {
    const { size } = this.#open;
    for (const socket of this.#open.keys()) socket.destroy();
    return size;
  }

  #add(exchange: Exchange): void {
    const { request, response } = exchange;
    if (this.#isDraining) response.shouldKeepAlive = false;
    const connection = this.#open.get(request.socket);
    if (connection === undefined) return;
    connection.exchanges.push(exchange);
    connection.idleSince = undefined;
    response.on("close", () => {
      if (request.complete) finish(connection, exchange);
    });
  }
}

function finish(connection: Connection, exchange: Exchange): void {
  connection.exchanges.splice(connection.exchanges.indexOf(exchange), 1);
  if (connection.exchanges.length === 0) connection.idleSince = now();
}

/** Whether a body takes too long. A streamed body may take any time while it arrives, or while its handler does not read. */
function isBodySlow(exchange: Exchange): boolean {
  const { request, arrivedAt } = exchange;
  if (!isBodyStreamed(request)) return now() - arrivedAt > BODY_MS;
  const bytes = request.socket.bytesRead;
  if (request.readableFlowing !== true || exchange.received?.bytes !== bytes)
    exchange.received = { bytes, since: now() };
  return now() - exchange.received.since > STALL_MS;
}

/** Whether the client of a response in progress accepts no bytes, although there are some to send. */
function isStalled(socket: Socket, connection: Connection): boolean {
  const waiting = socket.writableLength + unsentBytes(socket);
  if (waiting === 0) {
    connection.accepted = undefined;
    return false;
  }
  const bytes = socket.bytesWritten - waiting;
  if (connection.accepted?.bytes !== bytes) connection.accepted = { bytes, since: now() };
  return now() - connection.accepted.since > STALL_MS;
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
  const { body, headers } = closingError("request_timeout", format);
  response.writeHead(ERRORS.request_timeout.status, headers).end(body);
}

function now(): number {
  return performance.now();
}
