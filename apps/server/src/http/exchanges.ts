import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { closingError, ERRORS } from "../errors.ts";

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

/** The requests of a server that have not arrived in full, or whose answers are not sent in full. */
export class Exchanges {
  readonly #open = new Set<Exchange>();
  readonly #idleSince = new Map<Socket, number>();
  #isDraining = false;

  constructor(server: Server) {
    server.prependListener("request", (request, response) => this.#add({ request, response, arrivedAt: now() }));
  }

  /** From now on every answer says `Connection: close`, those included that are being prepared. */
  drain(): void {
    this.#isDraining = true;
    for (const { response } of this.#open) response.shouldKeepAlive = false;
  }

  /** Ends the connections of clients that take too long to send a body, to read an answer, or to ask again. To be called each second. */
  endSlowOnes(): void {
    for (const exchange of this.#open) {
      const { request, response } = exchange;
      if (response.writableEnded && !response.closed) exchange.answeredAt ??= now();
      if (request.socket.destroyed || (response.closed && request.complete)) this.#open.delete(exchange);
      else if (!request.complete && now() - exchange.arrivedAt > BODY_MS) refuseSlowBody(exchange);
      else if (exchange.answeredAt !== undefined && now() - exchange.answeredAt > READING_MS) request.socket.destroy();
    }
    const busy = new Set(Array.from(this.#open, ({ request }) => request.socket));
    for (const [socket, since] of this.#idleSince) {
      if (now() - since > IDLE_MS && !busy.has(socket)) socket.destroy();
      if (socket.destroyed) this.#idleSince.delete(socket);
    }
  }

  #add(exchange: Exchange): void {
    const { request, response } = exchange;
    if (this.#isDraining) response.shouldKeepAlive = false;
    this.#open.add(exchange);
    this.#idleSince.delete(request.socket);
    response.on("close", () => {
      if (!request.complete && !request.socket.destroyed) return;
      this.#open.delete(exchange);
      this.#idleSince.set(request.socket, now());
    });
  }
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
