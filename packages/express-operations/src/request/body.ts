import { parse as parseForm } from "node:querystring";
import type { Request, Response } from "express";
import { parseJson } from "./json.ts";
import { oneOf } from "../lists.ts";
import { declaredAs, isJson, type MediaType, parseMediaType } from "../media-type.ts";
import { type Problem, createProblem } from "../problem.ts";
import { isPercentEncoded } from "./query.ts";

/** A request body as received: the media type, the declared media type it falls under, and its value. */
export interface ReceivedBody {
  mediaType: MediaType;
  contentType: string;
  value: unknown;
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Gives the body of a request, undefined where it has none, at once where all of it is there. Throws the refusal, or
 * rejects with it.
 */
export type BodyReader = (request: Request, response: Response) => ReceivedBody | undefined | Promise<ReceivedBody>;

/**
 * Reads bodies of the declared media types, at most `limit` bytes, uncompressed. Refuses with 415 what is not declared,
 * 413 what is too large, as soon as that is known, 501 an unknown transfer coding, 400 what is malformed or missing where
 * required. What is neither JSON, a form nor text stays bytes, multipart among it.
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
      throw new Error("The body was read before the operation. Mount it ahead of other body parsers.");
    }
    if (awaitsContinue(request)) response.writeContinue();
    const valueOf = (bytes: Buffer) => ({ mediaType, contentType, value: decode(bytes, mediaType.essence) });
    return request.complete ? valueOf(bytesOf(request, limit)) : bytesToCome(request, limit).then(valueOf);
  };
}

/** Returns the Content-Type as the validator is to see it: the declared spelling, and the boundary of a multipart body. */
export function contentTypeFor({ mediaType, contentType }: ReceivedBody): string {
  const { essence, boundary } = mediaType;
  return boundary === undefined ? contentType : `${essence}; boundary="${boundary}"`;
}

/** Whether the client sends the body only when told to; one of HTTP/1.0 would take that for the answer (RFC 9110, section 10.1.1). */
function awaitsContinue({ headers, httpVersion }: Request): boolean {
  return headers.expect?.toLowerCase() === "100-continue" && httpVersion !== "1.0";
}

/** What has arrived already, as small bodies have. */
function bytesOf(request: Request, limit: number): Buffer {
  const { readableLength: size } = request;
  if (size > limit) throw tooLarge(limit);
  return (request.read(size) as Buffer | null) ?? Buffer.alloc(0); // without its size Node 26 gives but one chunk
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
  request.resume(); // and the rest is dropped, for clients that read only when they have sent all
  throw tooLarge(limit);
}

function tooLarge(limit: number): Problem {
  return createProblem(413, `The request body is too large. At most ${limit} bytes are allowed.`);
}

/** Node keeps the first of several. Whoever has read the request before may have kept another. */
export function expectOneContentType({ rawHeaders }: Request): void {
  let first: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]!.toLowerCase() !== "content-type") continue;
    first ??= rawHeaders[at + 1];
    if (rawHeaders[at + 1] !== first)
      throw createProblem(400, 'Header "Content-Type" is given with different values. Give it once.');
  }
}

/** Refuses codings as RFC 9110, section 15.5.16, and RFC 9112, section 6.1, ask. */
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

/** A body follows when the request says so (RFC 9112, section 6.3). */
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
