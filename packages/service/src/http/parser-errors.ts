import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { closingError, type ErrorCode, ERRORS } from "../errors.ts";
import { METHODS, STATUS_CODES } from "./node-http.ts";

/** Why Node's parser found no request: with what it was given last, and how far it came in that. */
export interface ParserError extends NodeJS.ErrnoException {
  rawPacket?: Buffer;
  bytesParsed?: number;
  reason?: string;
}

const TOKEN = "[\\w!#$%&'*+.^`|~-]";
/** The rest of a request line, from somewhere in its method on. */
const REST_OF_LINE = new RegExp(`^${TOKEN}* \\S+ HTTP/\\d\\.\\d\\r?\\n`);
const HEADER = new RegExp(`^${TOKEN}+:`);
const METHOD_AND_TARGET = new RegExp(`(?:${METHODS.join("|")}) \\S*$`);

/** Returns the code of the answer. */
export function codeOf(error: ParserError): ErrorCode {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return isInTarget(error) ? "uri_too_long" : "headers_too_large";
    case "HPE_INVALID_METHOD":
      return REST_OF_LINE.test(restOf(error)) ? "not_implemented" : "invalid_request";
    case "HPE_INVALID_CONSTANT": // of a method that it knows from other protocols
      return error.reason?.startsWith("Invalid method") ? "not_implemented" : "invalid_request";
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return "request_timeout";
    default:
      return "invalid_request";
  }
}

/**
 * Whether the line on which the head grew too large is the request line. Of a line that came in several pieces only the
 * last is known, so a target whose ends are both elsewhere counts as a header.
 */
function isInTarget(error: ParserError): boolean {
  const known = error.rawPacket?.toString("latin1", 0, error.bytesParsed) ?? "";
  const line = known.slice(known.lastIndexOf("\n") + 1);
  if (HEADER.test(line)) return false;
  return METHOD_AND_TARGET.test(line) || /^ HTTP\/\d/.test(restOf(error));
}

function restOf({ rawPacket, bytesParsed }: ParserError): string {
  return rawPacket?.toString("latin1", bytesParsed) ?? "";
}

/** How long a connection is still read that has had its last answer, in milliseconds. */
const LINGER = 2_000;

/** A socket as Node's server keeps it: with the response that is due next, if any. */
type ServerSocket = Duplex & { _httpMessage?: ServerResponse | null };

/** Node's parser found no request to hand on. Those before it on the connection are answered first, then this is. */
export function refuseConnection(error: NodeJS.ErrnoException, socket: ServerSocket): void {
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
export function endWith(socket: Duplex, code: ErrorCode, more: Record<string, string> = {}): void {
  const { body, headers } = closingError(code);
  const status = ERRORS[code].status;
  const lines = Object.entries({ ...headers, ...more, Date: new Date().toUTCString() });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
  const linger = setTimeout(() => socket.destroy(), LINGER).unref();
  socket.once("close", () => clearTimeout(linger));
}
