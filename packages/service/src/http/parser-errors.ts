import type { Duplex } from "node:stream";
import { Problem } from "express-operations";
import type { ErrorCode } from "../errors.ts";
import { closingError, type ErrorFormat, problem } from "../problems.ts";
import { METHODS, STATUS_CODES } from "./node-http.ts";
import type { ServerSocket } from "./pipeline.ts";

/** An error of Node's parser. `rawPacket` is the last piece of input, of which `bytesParsed` bytes were parsed. */
export interface ParserError extends NodeJS.ErrnoException {
  rawPacket?: Buffer;
  bytesParsed?: number;
  reason?: string;
}

const TOKEN = "[\\w!#$%&'*+.^`|~-]";
/** The rest of a request line, from any character of its method on. */
const REST_OF_LINE = new RegExp(`^${TOKEN}* \\S+ HTTP/\\d\\.\\d\\r?\\n`);
const HEADER = new RegExp(`^${TOKEN}+:`);
const METHOD_AND_TARGET = new RegExp(`(?:${METHODS.join("|")}) \\S*$`);

/** The code of the response to an error of Node's parser. */
export function errorCodeOf(error: ParserError): ErrorCode {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return isInTarget(error) ? "uri_too_long" : "headers_too_large";
    case "HPE_INVALID_METHOD":
      return REST_OF_LINE.test(restOf(error)) ? "not_implemented" : "invalid_request";
    case "HPE_INVALID_CONSTANT": // also for methods that the parser knows from other protocols
      return error.reason?.startsWith("Invalid method") ? "not_implemented" : "invalid_request";
    case "HPE_PAUSED_H2_UPGRADE": // the preface of HTTP/2
      return "http_version_not_supported";
    case "HPE_INVALID_VERSION":
      return isVersion(error) ? "http_version_not_supported" : "invalid_request";
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return "request_timeout";
    default:
      return "invalid_request";
  }
}

/**
 * Whether the request line alone exceeds the limit of the head. Only the last piece of input is known: a target that neither
 * begins nor ends in that piece counts as a header.
 */
function isInTarget(error: ParserError): boolean {
  const known = error.rawPacket?.toString("latin1", 0, error.bytesParsed) ?? "";
  const line = known.slice(known.lastIndexOf("\n") + 1);
  if (HEADER.test(line)) return false;
  return METHOD_AND_TARGET.test(line) || /^ HTTP\/\d/.test(restOf(error));
}

/** Whether the rejected version is a number, such as `1.2`, `2` or `1.10`. */
function isVersion(error: ParserError): boolean {
  const { reason = "" } = error;
  return reason === "Invalid HTTP version" || (reason.startsWith("Expected ") && /^[\d\r\n]/.test(restOf(error)));
}

function restOf({ rawPacket, bytesParsed }: ParserError): string {
  return rawPacket?.toString("latin1", bytesParsed) ?? "";
}

/** How long a connection is read after its last response, in milliseconds. */
const LINGER = 2_000;

/** The connections on which no further request is served. */
const rejected = new WeakSet<Duplex>();

/**
 * Handles an error of Node's parser, or another fault of the input. The response to an earlier request on the connection is sent
 * first, then the error. A request whose response has begun before its body turns out to be malformed gets no second response.
 */
export function rejectConnection(error: ParserError | Problem, socket: ServerSocket, format: ErrorFormat): void {
  if (error.code === "ECONNRESET") socket.destroy();
  if (!socket.writable || rejected.has(socket)) return; // the last response is already sent, or about to be
  const pending = socket._httpMessage;
  if (pending && (pending.writableEnded || pending.req.complete)) {
    rejected.add(socket);
    pending.once("close", () => (rejected.delete(socket), rejectConnection(error, socket, format)));
  } else if (pending?.headersSent) socket.destroy();
  else if (!pending && socket.parser?.incoming?.complete === false) endConnection(socket, "");
  else endWithError(socket, error instanceof Problem ? error : problem(errorCodeOf(error)), format);
}

/** Sends an Error as the last response on a connection, without a request. */
function endWithError(socket: Duplex, fault: Problem, format: ErrorFormat): void {
  const { status, body, headers } = closingError(fault, format);
  const lines = Object.entries({ ...headers, Date: new Date().toUTCString() });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  endConnection(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
}

/**
 * Sends the last response on a connection. Further input is read and dropped for a while: a socket that is closed with unread input
 * resets the connection, and the client loses the response (RFC 9112, section 9.6).
 */
function endConnection(socket: Duplex, text: string): void {
  socket.end(text);
  const linger = setTimeout(() => socket.destroy(), LINGER).unref();
  socket.once("close", () => clearTimeout(linger));
}
