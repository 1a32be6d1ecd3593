import type { Request, Response } from "express";
import {
  type MediaTypeObject,
  type OpenApiDocument,
  type Schema,
  nonNullTypesOf,
  isJson,
  isText,
} from "openapi-document";
import { convertsNumbers } from "../formats.ts";
import { JsonError, parseJson, parseJsonWithNumbers } from "./json.ts";
import { decodeUtf8 } from "./query.ts";
import { type MediaType } from "../media-type.ts";
import { createProblem, unreadableBody } from "../problem.ts";
import type { BodyLimits } from "./limits.ts";
import { announcementReader, awaitsContinue, brokenOff, hasBody, tooLarge } from "./announced-body.ts";
import { type ReadBody, readBody } from "./parsed-body.ts";
import type { UploadedFile } from "./parts.ts";
import { formReader, multipartReader } from "./form.ts";

/** A request body with its value. */
export interface ReceivedBody {
  /** The declared media type, or the received one if a range is declared. */
  contentType: string;
  /** The declared media type or range that matches. */
  declaredType: string;
  value: unknown;
  /** Whether the schema does not describe the value: bytes, or a text whose schema is that of what the text represents. */
  isOpaque: boolean;
  /** The files of a multipart body. */
  files?: UploadedFile[];
  /** The parts of a streamed multipart body. */
  parts?: AsyncIterable<unknown>;
  /** A streamed body, which calls the handler and reports its own fault in place of that of the handler. */
  stream?: { withFailure: <Result>(handle: () => Result | Promise<Result>) => Promise<Result> };
}

/**
 * Returns the body of a request, or undefined if it has none. A body that has already arrived is returned without a
 * promise. Errors are `Problem`s.
 */
export type BodyReader = (
  request: Request,
  response: Response,
) => ReceivedBody | undefined | Promise<ReceivedBody | undefined>;

/** Verifies the bytes of a body before they are parsed. Rejects with a `Problem` for bytes that are not authentic. */
export type VerifyBody = (request: Request, bytes: Buffer) => Promise<void>;

/**
 * Returns the reader of bodies of the declared media types: uncompressed, within the limits. It rejects undeclared
 * media types with 415, and unknown transfer codings with 501. A body that is too large gets a 413 as soon as its size
 * is known. A malformed body gets a 400, and so does a missing required one. JSON, forms and text are parsed; other
 * bodies stay bytes.
 */
export function bodyReader(
  document: OpenApiDocument,
  content: Record<string, MediaTypeObject>,
  {
    required,
    limits,
    vendorTypes,
    parsedBodies,
    verifyBody,
  }: {
    required: boolean;
    limits: BodyLimits;
    vendorTypes: boolean;
    parsedBodies: boolean;
    verifyBody: VerifyBody | undefined;
  },
): BodyReader {
  const { bodyLimit: limit } = limits;
  const announced = announcementReader(content, { required, limit, vendorTypes });
  const declared = Object.keys(content);
  const texts = new Set(declared.filter((key) => mayBeText(document, content[key]!.schema)));
  const parsers = new Map(declared.map((key) => [key, parserFor(document, content[key]!, limits)]));
  return (request, response) => {
    if (verifyBody && !hasBody(request)) return verifyBody(request, NO_BYTES).then(() => void announced(request));
    const body = announced(request);
    if (body === undefined) return undefined;
    const { sent, mediaType, declaredType, contentType } = body;
    const parse = parsers.get(declaredType)!;
    const parsedBody = (bytes: Buffer, asSent = sent) => {
      const parsed = parse(bytes, mediaType, asSent);
      return parsed instanceof Promise
        ? parsed.then((form) => ({ contentType, declaredType, isOpaque: false, ...form }))
        : {
            contentType,
            declaredType,
            isOpaque: parsed === bytes || (isText(mediaType.essence) && !texts.has(declaredType)),
            value: parsed,
          };
    };
    const bodyOf =
      verifyBody === undefined
        ? parsedBody
        : (bytes: Buffer, asSent?: string) => verifyBody(request, bytes).then(() => parsedBody(bytes, asSent));
    const readBefore = (read: ReadBody) => {
      if ("value" in read) return { contentType, declaredType, isOpaque: false, value: read.value };
      if (read.bytes.length > limit) throw tooLarge(limit);
      return bodyOf(read.bytes, read.sent);
    };
    const read = readBody(request, mediaType.essence, parsedBodies);
    if (read !== undefined) return read instanceof Promise ? read.then(readBefore) : readBefore(read);
    if (awaitsContinue(request)) response.writeContinue();
    return request.complete ? bodyOf(bytesOf(request, limit)) : bytesToCome(request, limit).then(bodyOf);
  };
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
    throw brokenOff();
  }
  if (size <= limit) return Buffer.concat(chunks);
  request.resume(); // drops the rest, because some clients read the response only after they have sent the whole body
  throw tooLarge(limit);
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

/** Returns the value of a body, the bytes themselves if they are not parsed, or a promise of a form with files. */
type Parser = (bytes: Buffer, mediaType: MediaType, contentType: string) => unknown;

const NO_BYTES = Buffer.alloc(0);

/** Returns the parser of a declared media type. Its range may cover several media types. */
function parserFor(document: OpenApiDocument, content: MediaTypeObject, limits: BodyLimits): Parser {
  const readForm = formReader(document, content);
  const readMultipart = multipartReader(document, content, limits);
  const parse = convertsNumbers(document, content.schema) ? parseJsonWithNumbers : parseJson;
  return (bytes, { essence }, contentType) => {
    if (isJson(essence)) return jsonOf(textOf(bytes), parse);
    if (essence === "application/x-www-form-urlencoded") return readForm(textOf(bytes));
    if (essence === "multipart/form-data") return readMultipart(bytes, contentType);
    return isText(essence) ? textOf(bytes) : bytes;
  };
}

function mayBeText(document: OpenApiDocument, schema: Schema | undefined): boolean {
  const types = nonNullTypesOf(document, schema);
  return types.size === 0 || types.has("string");
}

function textOf(bytes: Buffer): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw unreadableBody("The request body is not valid UTF-8. Encode it as UTF-8.");
  return text;
}

function jsonOf(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw error instanceof JsonError ? unreadableBody(`The request body ${error.message}.`, error.path) : error;
  }
}
