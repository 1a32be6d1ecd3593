import type { Request } from "express";
import { type MediaTypeObject, essenceOf } from "openapi-document";
import { oneOf } from "../lists.ts";
import { declaredAs, type MediaType, parseMediaType } from "../media-type.ts";
import { createProblem, type Problem, unreadableBody } from "../problem.ts";

/** A request body as the headers announce it. */
interface AnnouncedBody {
  /** The Content-Type as sent. */
  sent: string;
  mediaType: MediaType;
  /** The declared media type or range that matches. */
  declaredType: string;
  /** The declared media type, or the received one if a range is declared. */
  contentType: string;
}

/**
 * Returns the function that checks the headers of a request and reads nothing of its body: media type, codings and
 * `Content-Length`. It returns undefined for a request without a body. Errors are `Problem`s.
 */
export function announcementReader(
  content: Record<string, MediaTypeObject>,
  { required, limit, vendorTypes }: { required: boolean; limit: number; vendorTypes: boolean },
): (request: Request) => AnnouncedBody | undefined {
  const declared = Object.keys(content);
  const asDeclared = new Map(declared.map((text) => [text, parseMediaType(text)]));
  return (request) => {
    if (!hasBody(request)) {
      if (required) throw unreadableBody(`A request body is required. Send it as ${oneOf(declared)}.`, [], "required");
      return undefined;
    }
    const sent = request.headers["content-type"] ?? "";
    const mediaType = asDeclared.get(sent) ?? parseMediaType(sent);
    const declaredType = mediaType && (asDeclared.has(sent) ? sent : declaredAs(mediaType, declared, vendorTypes));
    if (mediaType === undefined || declaredType === undefined) {
      throw createProblem(
        415,
        `Send the body as ${oneOf(declared)}, with a matching Content-Type. Encode text as UTF-8.`,
      );
    }
    expectUncoded(request);
    if (Number(request.headers["content-length"] ?? 0) > limit) throw tooLarge(limit);
    const contentType = declaredType.includes("*") ? mediaType.canonical : declaredType;
    return { sent, mediaType, declaredType, contentType };
  };
}

/**
 * Returns whether the client waits for 100 (Continue) before it sends the body. An HTTP/1.0 client would take 100 for
 * the final response (RFC 9110, section 10.1.1).
 */
export function awaitsContinue({ headers, httpVersion }: Request): boolean {
  return headers.expect?.toLowerCase() === "100-continue" && httpVersion !== "1.0";
}

export function tooLarge(limit: number): Problem {
  return createProblem(413, `The request body is too large. At most ${limit} bytes are allowed.`);
}

export function brokenOff(): Problem {
  return createProblem(400, "The request body did not arrive as announced.");
}

/** Returns whether the headers announce a body (RFC 9112, section 6.3). A form without fields has no bytes. */
export function hasBody({ headers }: Request): boolean {
  const length = headers["content-length"];
  if (length === "0") return essenceOf(headers["content-type"] ?? "") === "application/x-www-form-urlencoded";
  return length !== undefined || headers["transfer-encoding"] !== undefined;
}

/** Rejects codings as specified by RFC 9110, section 15.5.16, and RFC 9112, section 6.1. */
function expectUncoded({ headers }: Request): void {
  const contentCoding = headers["content-encoding"]?.toLowerCase() ?? "identity";
  const transferCoding = headers["transfer-encoding"]?.toLowerCase() ?? "chunked";
  if (contentCoding !== "identity") {
    throw createProblem(415, "Send the body uncompressed, without Content-Encoding.", {
      "Accept-Encoding": "identity",
    });
  }
  if (transferCoding !== "chunked") throw createProblem(501, "The only Transfer-Encoding supported is chunked.");
}
