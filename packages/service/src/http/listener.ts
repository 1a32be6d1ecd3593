import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type ErrorFormat, plainErrors, problem } from "../problems.ts";
import { Connections, reject, requestHandler } from "./messages.ts";
import { type AppOrListener, createServer, messageClasses } from "./node-http.ts";
import { type ParserError, rejectConnection } from "./parser-errors.ts";
import type { ServerSocket } from "./pipeline.ts";

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
  const handle = requestHandler(app, format);
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
