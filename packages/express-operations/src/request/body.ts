import { parse as parseForm } from "node:querystring";
import type { Request, Response } from "express";
import { parseJson } from "./json.ts";
import { oneOf } from "../lists.ts";
import { declaredAs, isJson, type MediaType, parseMediaType } from "../media-type.ts";
import { type Problem, createProblem } from "../problem.ts";
import { isPercentEncoded } from "./query.ts";

/** A request body: its media type, the declared media type that matches, and its value. */
export interface ReceivedBody {
  mediaType: MediaType;
  contentType: string;
  value: unknown;
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Returns the body of a request, or undefined if it has none. A body that has already arrived is returned without a
 * promise. Errors are `Problem`s.
 */
export type BodyReader = (request: Request, response: Response) => ReceivedBody | undefined | Promise<ReceivedBody>;

/**
 * Returns the reader of bodies of the declared media types: uncompressed, at most `limit` bytes. It rejects undeclared
 * media types with 415, and unknown transfer codings with 501. A body that is too large gets a 413 as soon as its size
 * is known. A malformed body gets a 400, and so does a missing required one. Only JSON, forms and text are parsed;
 * other bodies, multipart included, stay bytes.
 */
export function bodyReader(declared: string[], required: boolean, limit: number): BodyReader {
  const asDeclared = new Map(declared.map((text) => [text, parseMediaType(text)]));
  return (request, response) => {
    if (!hasBody(request)) {
      if (required) throw createProblem(400, `A request body is required. Send it as ${oneOf(declared)}.`);
      return undefined;
    }
    const sent = request.headers["content-type"] ?? "";
    const mediaType = asDeclared.get(sent) ?? parseMediaType(sent);
    const contentType = mediaType && (asDeclared.has(sent) ? sent : declaredAs(mediaType, declared));
    if (mediaType === undefined || contentType === undefined) {
      throw createProblem(415, `Send the body as ${oneOf(declared)}, and name that in Content-Type. Text is in UTF-8.`);
    }
    expectUncoded(request);
    if (Number(request.headers["content-length"] ?? 0) > limit) throw tooLarge(limit);
    if (request.readableDidRead) {
      throw new Error("The request body was already read. Mount the implementation before other body parsers.");
    }
    if (awaitsContinue(request)) response.writeContinue();
    const valueOf = (bytes: Buffer) => ({ mediaType, contentType, value: decode(bytes, mediaType.essence) });
    return request.complete ? valueOf(bytesOf(request, limit)) : bytesToCome(request, limit).then(valueOf);
  };
}

/** Returns the Content-Type for validation: the declared spelling, with the boundary of a multipart body. */
export function contentTypeFor({ mediaType, contentType }: ReceivedBody): string {
  const { essence, boundary } = mediaType;
  return boundary === undefined ? contentType : `${essence}; boundary="${boundary}"`;
}

/**
 * Returns whether the client waits for 100 (Continue) before it sends the body. An HTTP/1.0 client would take 100 for
 * the final response (RFC 9110, section 10.1.1).
 */
function awaitsContinue({ headers, httpVersion }: Request): boolean {
  return headers.expect?.toLowerCase() === "100-continue" && httpVersion !== "1.0";
}

/** Reads a body that has arrived completely. */
function bytesOf(request: Request, limit: number): Buffer {
  const { readableLength: size } = request;
  if (size > limit) throw tooLarge(limit);
  return (request.read(size) as Buffer | null) ?? Buffer.alloc(0); // without a size, Node 26 returns only one chunk
}

async function bytesToCome(request: Request, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > limit) break;
    }
  } catch {
    throw createProblem(400, "The request body did not arrive as announced.");
  }
  if (size <= limit) return Buffer.concat(chunks);
  request.resume(); // drops the rest, because some clients read the response only after they have sent the whole body
  throw tooLarge(limit);
}

function tooLarge(limit: number): Problem {
  return createProblem(413, `The request body is too large. At most ${limit} bytes are allowed.`);
}

/** Rejects different values of `Content-Type`. Node keeps the first one, but a proxy may have used another. */
export function expectOneContentType({ rawHeaders }: Request): void {
  let first: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]!.toLowerCase() !== "content-type") continue;
    first ??= rawHeaders[at + 1];
    if (rawHeaders[at + 1] !== first)
      throw createProblem(400, 'Header "Content-Type" is given with different values. Give it once.');
  }
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

/** Returns whether the headers announce a body (RFC 9112, section 6.3). */
function hasBody(request: Request): boolean {
  const length = request.headers["content-length"];
  return request.headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}

function decode(bytes: Buffer, essence: string): unknown {
  const text = () => {
    try {
      return UTF_8.decode(bytes);
    } catch {
      throw createProblem(400, "The request body is not valid UTF-8. Encode it as UTF-8.");
    }
  };
  if (isJson(essence)) {
    try {
      return parseJson(text());
    } catch (error) {
      throw error instanceof SyntaxError ? createProblem(400, `The request body ${error.message}.`) : error;
    }
  }
  if (essence === "application/x-www-form-urlencoded") return formOf(text());
  return essence.startsWith("text/") ? text() : bytes;
}

function formOf(text: string): object {
  if (!isPercentEncoded(text))
    throw createProblem(400, "The request body is not valid percent-encoding. Write a percent sign itself as %25.");
  return { ...parseForm(text, "&", "=", { maxKeys: 0 }) };
}
