import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { normalizePath } from "express-operations";
import { closingError, ERRORS } from "../errors.ts";
import { type Listening, messagesOf } from "./express-messages.ts";
import { createServer } from "./node-http.ts";
import { endWith, refuseConnection } from "./parser-errors.ts";
import { MAX_TARGET } from "./request-head.ts";

/** Where to listen, and the settings that say so. */
export interface Address {
  host: string;
  port: number;
  settings?: string;
}

/** A server that accepts connections. */
export interface Listener {
  /** Its address, without a path: `http://127.0.0.1:3000`. */
  origin: string;
  /** Still accepts connections, and from now on ends each with its next answer: `Connection: close`. */
  drain: () => void;
  /**
   * Stops accepting, finishes what is in flight, and resolves when the last connection is closed. Those still open after
   * so many milliseconds, 10 seconds unless told otherwise, are destroyed; gives how many.
   */
  close: (patience?: number) => Promise<number>;
}

/** The address cannot be listened on; the message names it and what to do. */
export class ListenError extends Error {
  override name = "ListenError";

  constructor({ host, port, settings = "HOST and PORT" }: Address, cause: NodeJS.ErrnoException) {
    const reason = cause.code === "EADDRINUSE" ? "something listens there already" : cause.message;
    super(`Cannot listen on ${host}:${port}: ${reason}. Set ${settings} to an address that is free.`, { cause });
  }
}

/** How often connections are looked at, for time-outs and at shutdown, in milliseconds. */
const CHECK_INTERVAL = 1_000;

/**
 * Listens for the app, which sees paths in their normal form. What Node refuses before Express sees it gets an Error body
 * as well.
 */
export async function listen(app: Listening, at: Address): Promise<Listener> {
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    // One that is too long is measured as it came.
    if (request.url!.length <= MAX_TARGET && request.url!.includes("%")) request.url = normalizeTarget(request.url!);
    app(request, response);
  };
  const server = createServer(
    {
      ...messagesOf(app),
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: CHECK_INTERVAL,
      requireHostHeader: false,
    },
    answer,
  );
  const connections = new Connections(server);
  server.on("clientError", refuseConnection);
  // It names a host, not a path, and nothing is allowed on another host: an empty Allow (RFC 9110, section 10.2.1).
  server.on("connect", (_request, socket) => endWith(socket.resume(), "method_not_allowed", { Allow: "" }));
  // Whoever reads the body asks for it: a request that is refused before is not told to go on.
  server.on("checkContinue", answer);
  server.on("checkExpectation", (_request: IncomingMessage, response: ServerResponse) => {
    const { body, headers } = closingError("expectation_failed");
    response.writeHead(ERRORS.expectation_failed.status, headers).end(body);
  });
  await new Promise<void>((done, failed) => {
    server.once("error", (cause) => failed(new ListenError(at, cause)));
    server.listen(at.port, at.host, done);
  });
  const patrol = setInterval(() => connections.endSlowOnes(), CHECK_INTERVAL);
  server.once("close", () => clearInterval(patrol));
  const { address, family, port: bound } = server.address() as AddressInfo;
  return {
    origin: `http://${family === "IPv6" ? `[${address}]` : address}:${bound}`,
    drain: () => connections.drain(),
    close: (patience = 10_000) => close(server, connections, patience),
  };
}

function normalizeTarget(target: string): string {
  const [path = ""] = target.split("?", 1);
  return normalizePath(path) + target.slice(path.length);
}

async function close(server: Server, connections: Connections, patience: number): Promise<number> {
  let destroyed = 0;
  // Connections that turn idle after close() would otherwise stay for their whole keep-alive time.
  const sweep = setInterval(() => server.closeIdleConnections(), CHECK_INTERVAL / 20);
  const end = setTimeout(() => {
    destroyed = connections.destroy();
  }, patience);
  try {
    await new Promise<void>((done, failed) => server.close((error) => (error ? failed(error) : done())));
  } finally {
    clearInterval(sweep);
    clearTimeout(end);
  }
  return destroyed;
}

/** Each may hold a request that is still arriving, 80 KiB at most. What is beyond is closed at once. */
const MAX_CONNECTIONS = 4_096;
/** How long a request may take to arrive, from the end of its headers. Node's `requestTimeout` is looser, and stays behind it. */
const BODY_MS = 15_000;
/**
 * How long a client may take to make room for an answer; the system's buffers take a whole one from clients that read.
 * Node has no such limit: it ends connections that are idle, not those that are read byte by byte.
 */
const READING_MS = 5_000;
/** How long until the next request's headers are there. Node's `keepAliveTimeout` starts anew with each empty line sent. */
const IDLE_MS = 8_000;

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  arrivedAt: number;
  answeredAt?: number;
}

/** What is under way on a connection: requests that have not arrived in full, or whose answers are not sent in full. */
interface Connection {
  exchanges: Exchange[];
  /** When the last of them was over, while there is none. */
  idleSince: number | undefined;
}

/**
 * The open connections of a server. What lasts for a request is kept with its connection: a Set of all requests would be
 * made anew again and again, and what was in the old ones, each of which refers to the next, stay in memory for long.
 */
class Connections {
  readonly #open = new Map<Socket, Connection>();
  #isDraining = false;

  /** Node's own limit would send connections beyond it round and round between the processes of a cluster. */
  constructor(server: Server) {
    server.prependListener("connection", (socket) => {
      if (this.#open.size >= MAX_CONNECTIONS) {
        socket.destroy();
        return;
      }
      this.#open.set(socket, { exchanges: [], idleSince: undefined });
      socket.once("close", () => this.#open.delete(socket));
    });
    server.prependListener("request", (request, response) => this.#add({ request, response, arrivedAt: now() }));
  }

  /** From now on every answer says `Connection: close`, those included that are being prepared. */
  drain(): void {
    this.#isDraining = true;
    for (const { exchanges } of this.#open.values()) {
      for (const { response } of exchanges) response.shouldKeepAlive = false;
    }
  }

  /** Ends the connections of clients that take too long to send a body, to read an answer, or to ask again. To be called each second. */
  endSlowOnes(): void {
    for (const [socket, connection] of this.#open) {
      for (const exchange of connection.exchanges.slice()) {
        const { request, response } = exchange;
        if (response.writableEnded && !response.closed) exchange.answeredAt ??= now();
        if (response.closed && request.complete) finish(connection, exchange);
        else if (!request.complete && now() - exchange.arrivedAt > BODY_MS) refuseSlowBody(exchange);
        else if (exchange.answeredAt !== undefined && now() - exchange.answeredAt > READING_MS) socket.destroy();
      }
      if (connection.idleSince !== undefined && now() - connection.idleSince > IDLE_MS) socket.destroy();
    }
  }

  /** Destroys them, and gives how many there were. */
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

function refuseSlowBody({ request, response }: Exchange): void {
  if (response.headersSent) {
    request.socket.destroy();
    return;
  }
  const { body, headers } = closingError("request_timeout");
  response.writeHead(ERRORS.request_timeout.status, headers).end(body);
}

function now(): number {
  return performance.now();
}
