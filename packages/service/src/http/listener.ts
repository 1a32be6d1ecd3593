import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { normalizePath, type Problem } from "express-operations";
import { closingError, type ErrorFormat, plainErrors, problem } from "../problems.ts";
import { type AppOrListener, createServer, messageClasses } from "./node-http.ts";
import { type ParserError, rejectConnection } from "./parser-errors.ts";
import { limitPieces, Pipeline, type ServerSocket, type UpgradeRequest } from "./pipeline.ts";
import { MAX_TARGET } from "./heads.ts";
import { type Connection, endIfSlow, type Exchange } from "./time-limits.ts";

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
    // The target of CONNECT is another host. `Allow` is empty, since no method is allowed there (RFC 9110, section 10.2.1).
    if (request.method === "CONNECT") return reject(response, problem("method_not_allowed", { Allow: "" }), format);
    // A target that is too long stays unchanged, since `headFault` checks the length that the client sent.
    if (request.url!.length <= MAX_TARGET && request.url!.includes("%")) request.url = normalizeTarget(request.url!);
    app(request, response);
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
  server.on("clientError", (error: ParserError, socket) => {
    if (error.code === "HPE_PAUSED") connections.stopAtNextRequest(error, socket as Socket);
    else rejectConnection(error, socket as ServerSocket, format);
  });
  const rejectExpectation = (_request: IncomingMessage, response: ServerResponse): void =>
    reject(response, problem("expectation_failed"), format);
  // Replaces Node's own 100 Continue. The body reader sends it, so that a request rejected earlier gets none.
  server.on("checkContinue", (request, response) => {
    const isAlone = request.headers.expect!.toLowerCase() === "100-continue"; // Node only looks for it in the header
    (isAlone ? handle : rejectExpectation)(request, response);
  });
  server.on("checkExpectation", rejectExpectation);
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

/** Sends an Error as the last response of a connection. */
function reject(response: ServerResponse, fault: Problem, format: ErrorFormat): void {
  const { status, body, headers } = closingError(fault, format);
  response.writeHead(status, headers).end(body);
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

/** Connections beyond this number are closed at once. Each connection may hold up to 80 KiB of incomplete or waiting requests. */
const MAX_CONNECTIONS = 4_096;
/** The time limit for the first byte on a new connection while the server closes. */
const FIRST_BYTE_MS = 500;

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
    server.on("connection", (socket: ServerSocket) => {
      if (this.#open.size >= MAX_CONNECTIONS) {
        socket.destroy();
        return;
      }
      const pipeline = new Pipeline(socket);
      const parser = socket.parser!;
      const serve = parser.onIncoming;
      parser.onIncoming = (request: UpgradeRequest, keepAlive) => {
        const isNext = !socket._httpMessage && socket.writable && request.upgrade !== true;
        return isNext ? serve(request, keepAlive) : pipeline.receive(request, keepAlive);
      };
      limitPieces(socket, (fault) => rejectConnection(fault, socket, format));
      const openedAt = performance.now();
      this.#open.set(socket, { pipeline, exchange: undefined, openedAt, idleSince: undefined, accepted: undefined });
      socket.once("close", () => this.#open.delete(socket));
    });
    for (const event of ["request", "checkContinue"] as const)
      server.prependListener(event, (request, response) =>
        this.#add({ request, response, arrivedAt: performance.now() }),
      );
  }

  /** Sends `Connection: close` with each response from now on, also for requests in flight. */
  drain(): void {
    this.#isDraining = true;
    for (const { exchange } of this.#open.values()) {
      if (exchange !== undefined) exchange.response.shouldKeepAlive = false;
    }
  }

  /** Ends connections beyond one of the time limits: for a body, a response or the next request. */
  endSlowConnections(): void {
    for (const [socket, connection] of this.#open) {
      const { exchange } = connection;
      if (exchange?.response.closed === true && exchange.request.complete) finish(connection, exchange);
      else endIfSlow(socket, connection, this.#format);
    }
  }

  /** Makes the next request on a connection wait, after the parser has stopped behind its head. */
  stopAtNextRequest({ rawPacket, bytesParsed }: ParserError, socket: Socket): void {
    this.#open.get(socket)?.pipeline.stop(rawPacket!.subarray(bytesParsed));
  }

  /**
   * Runs Node's own method, which ends connections without a request that has begun to arrive. It would also end one that a
   * client has just opened for a request, and one whose client has not read the whole response yet.
   */
  endIdleConnections(endIdle: () => void): void {
    const connections = [...this.#open];
    const unused = connections.filter(([socket]) => socket.bytesRead === 0);
    const expired = unused
      .filter(([, { openedAt }]) => performance.now() - openedAt > FIRST_BYTE_MS)
      .map(([socket]) => socket);
    const busy = connections.filter(([, { exchange }]) => exchange !== undefined);
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
    connection.exchange = exchange;
    connection.idleSince = undefined;
    response.on("close", () => {
      if (request.complete) finish(connection, exchange);
      if (connection.pipeline.isStopped) connection.pipeline.continue();
    });
  }
}

/** Records the end of an exchange. */
function finish(connection: Connection, exchange: Exchange): void {
  if (connection.exchange !== exchange) return;
  connection.exchange = undefined;
  connection.idleSince = performance.now();
}
