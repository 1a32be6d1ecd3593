import type { ErrorCode } from "../errors.ts";
import { METHODS } from "./node-http.ts";

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
