import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { closingError, ERRORS } from "../errors.ts";

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
export class Connections {
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
