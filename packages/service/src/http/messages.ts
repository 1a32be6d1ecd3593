import type {
  IncomingMessage,
  OutgoingHttpHeader,
  OutgoingHttpHeaders,
  Server,
  ServerResponse as NodeResponse,
} from "node:http";
import type { Socket } from "node:net";
import type { Express, Request, Response } from "express";
import { normalizePath, type Problem } from "express-operations";
import { closingError, type ErrorFormat, problem } from "../problems.ts";
import { type DefaultHeaders, linesOf } from "./default-headers.ts";
import { type AppOrListener, ServerResponse } from "./node-http.ts";
import { type ParserError, rejectConnection } from "./parser-errors.ts";
import { limitPieces, Pipeline, type ServerSocket, type UpgradeRequest } from "./pipeline.ts";
import { type Connection, endIfSlow, type Exchange } from "./time-limits.ts";

/**
 * The maximum length of a request target (path and query), in characters. Node's limit of 16 KiB covers target and headers
 * together.
 */
const MAX_TARGET = 8_192;

/** Returns the function that passes each request to the app. Its path is in normal form. */
export function requestHandler(app: AppOrListener, format: ErrorFormat) {
  return (request: IncomingMessage, response: NodeResponse): void => {
    // The target of CONNECT is another host. `Allow` is empty, since no method is allowed there (RFC 9110, section 10.2.1).
    if (request.method === "CONNECT") return reject(response, problem("method_not_allowed", { Allow: "" }), format);
    // A target that is too long stays unchanged, since `headFault` checks the length that the client sent.
    if (request.url!.length <= MAX_TARGET && request.url!.includes("%")) request.url = normalizeTarget(request.url!);
    app(request, response);
  };
}

/** Sends an Error as the last response of a connection. */
export function reject(response: NodeResponse, fault: Problem, format: ErrorFormat): void {
  const { status, body, headers } = closingError(fault, format);
  response.writeHead(status, headers).end(body);
}

function normalizeTarget(target: string): string {
  const [path = ""] = target.split("?", 1);
  return normalizePath(path) + target.slice(path.length);
}

/** Returns the problem of a request head that HTTP forbids but Node's parser accepts. */
export function headFault(request: Request): Problem | undefined {
  return versionFault(request) ?? framingFault(request) ?? hostFault(request) ?? targetFault(request);
}

/** The start of the next request is unknown after a fault of version or framing, so the connection is closed. */
const CLOSE = { Connection: "close" };

function versionFault({ httpVersion }: Request) {
  return httpVersion === "1.1" || httpVersion === "1.0" ? undefined : problem("http_version_not_supported", CLOSE);
}

/** Returns the problem of a Transfer-Encoding that is not `chunked` alone, or is in HTTP/1.0 (RFC 9112, sections 6.1 and 6.3). */
function framingFault({ httpVersion, headers }: Request) {
  const coding = headers["transfer-encoding"];
  if (coding === undefined) return undefined;
  if (httpVersion === "1.0")
    return problem(
      "invalid_request",
      CLOSE,
      "HTTP/1.0 does not support Transfer-Encoding. Send a Content-Length, or use HTTP/1.1.",
    );
  if (coding.toLowerCase() === "chunked") return undefined;
  const code = /,[ \t]*chunked$/i.test(coding) ? "not_implemented" : "invalid_request";
  return problem(code, CLOSE, "The only Transfer-Encoding supported is chunked. Send the body without other codings.");
}

/** Returns the 400 for a missing, repeated or malformed Host (RFC 9112, section 3.2). Node's own 400 would have no body. */
function hostFault(request: Request) {
  const count = headerCount(request, "host");
  const isValid = count === 0 ? request.httpVersion === "1.0" : count === 1 && isAuthority(request.headers.host!);
  return isValid
    ? undefined
    : problem(
        "invalid_request",
        undefined,
        "The request must have exactly one valid Host header. Send the host name or address of the service.",
      );
}

/** A scheme, and an authority with user information (RFC 3986, section 3.2.1). */
const USER_INFORMATION = /^[A-Za-z][\w+.-]*:\/\/[^/?]*@/;

function targetFault({ originalUrl }: Request) {
  if (originalUrl.length > MAX_TARGET) return problem("uri_too_long");
  if (!originalUrl.includes("#") && !USER_INFORMATION.test(originalUrl)) return undefined;
  return problem(
    "invalid_request",
    undefined,
    "The request target must have no fragment and no user information. Send the path and query only.",
  );
}

function headerCount({ rawHeaders }: Request, lowerCaseName: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]!.toLowerCase() === lowerCaseName) count++;
  return count;
}

/** `host [":" port]` (RFC 3986, section 3.2). The host is a name, which may be empty, or an address. */
const AUTHORITY = /^(\[[0-9A-Za-z.:]+\]|([\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(:\d*)?$/;

/** Whether the string is the host of a URL, with an optional port. */
export function isAuthority(text: string): boolean {
  return AUTHORITY.test(text);
}

const NONE: DefaultHeaders = { plain: linesOf({}), tagged: linesOf({}), names: new Set() };

/**
 * Makes an app send the default headers in `response.locals` with every response, and its id as `X-Request-Id`. Headers that a
 * handler sets take precedence.
 */
export function sendDefaultHeaders(app: Express): void {
  const writeHead = function (this: Response, status: number, ...rest: unknown[]): NodeResponse {
    const { defaultHeaders = NONE, id } = (this.locals ?? {}) as { defaultHeaders?: DefaultHeaders; id?: string }; // the listener sends responses without the app
    const [given] = rest as [OutgoingHttpHeaders | undefined];
    const isPlain = rest.length === 1 && given instanceof Object && !Array.isArray(given);
    const isTagged = this.hasHeader("ETag") || given?.["ETag"] !== undefined;
    const defaults = isTagged ? defaultHeaders.tagged : defaultHeaders.plain;
    const list = isPlain && this.getHeaderNames().length === 0 ? listOf(defaultHeaders.names, id, given) : undefined;
    if (list !== undefined) {
      ServerResponse.prototype.writeHead.call(this, status, list);
      return addText(this, defaults.text);
    }
    for (const [name, value] of Object.entries(defaults.headers))
      if (!this.hasHeader(name)) this.setHeader(name, value);
    if (id !== undefined && !this.hasHeader("X-Request-Id")) this.setHeader("X-Request-Id", id);
    return ServerResponse.prototype.writeHead.call(this, status, ...(rest as [OutgoingHttpHeaders]));
  };
  Object.assign(app.response, { writeHead });
}

/** Returns the id and the headers of a handler, as names and values in turn, or undefined if they replace a default header. */
function listOf(
  defaultNames: DefaultHeaders["names"],
  id: string | undefined,
  given: OutgoingHttpHeaders,
): OutgoingHttpHeader[] | undefined {
  const list: OutgoingHttpHeader[] = id === undefined ? [] : ["X-Request-Id", id];
  for (const name in given) {
    if (defaultNames.has(name.toLowerCase())) return undefined;
    if (given[name] !== undefined) list.push(name, given[name]);
  }
  return list;
}

/**
 * Adds lines to a head that Node has written. Node keeps it in `_header` until it is sent, and would check each header again for
 * each response.
 */
function addText(response: Response, text: string): NodeResponse {
  const written = response as unknown as { _header: string };
  written._header = `${written._header.slice(0, -2)}${text}\r\n`;
  return response;
}

/** Connections beyond this number are closed at once. Each connection may hold up to 80 KiB of incomplete or waiting requests. */
const MAX_CONNECTIONS = 4_096;
/** The time limit for the first byte on a new connection while the server closes. */
const FIRST_BYTE_MS = 500;

/**
 * The open connections of a server, each with its exchanges. A single Set of all exchanges would cost memory: V8 rebuilds a
 * growing Set again and again. Each old table refers to the next, so the entries of all tables stay in memory for long.
 */
export class Connections {
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
