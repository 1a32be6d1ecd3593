import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { normalizePath } from "express-operations";
import { closingError, ERRORS, type ErrorCode } from "../errors.ts";
import { MAX_TARGET } from "./check-head.ts";
import { Connections } from "./connections.ts";
import { type Listening, messagesOf } from "./express-messages.ts";
import { createServer, STATUS_CODES } from "./node-http.ts";
import { codeOf } from "./parser-errors.ts";

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

/** How long a connection is still read that has had its last answer, in milliseconds. */
const LINGER = 2_000;

/** A socket as Node's server keeps it: with the response that is due next, if any. */
type ServerSocket = Duplex & { _httpMessage?: ServerResponse | null };

/** Node's parser found no request to hand on. Those before it on the connection are answered first, then this is. */
function refuseConnection(error: NodeJS.ErrnoException, socket: ServerSocket): void {
  if (error.code === "ECONNRESET") socket.destroy();
  if (!socket.writable) return; // what comes behind the last answer
  const due = socket._httpMessage;
  if (due?.headersSent === false && due.req.complete) {
    due.once("finish", () => setImmediate(refuseConnection, error, socket));
    return;
  }
  if (due?.headersSent) socket.destroy();
  else endWith(socket, codeOf(error));
}

/**
 * An Error as the last answer on a connection, written without a request. What still arrives is read and dropped for a
 * while, since closing over it would reset the connection, and the answer would be lost (RFC 9112, section 9.6).
 */
function endWith(socket: Duplex, code: ErrorCode, more: Record<string, string> = {}): void {
  const { body, headers } = closingError(code);
  const status = ERRORS[code].status;
  const lines = Object.entries({ ...headers, ...more, Date: new Date().toUTCString() });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
  const linger = setTimeout(() => socket.destroy(), LINGER).unref();
  socket.once("close", () => clearTimeout(linger));
}
