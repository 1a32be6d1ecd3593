import { parse as parseForm } from "node:querystring";
import express, { type Request, type Response } from "express";
import { parseJson } from "./json.ts";
import { declaredAs, isJson, type MediaType, parseMediaType } from "./media-type.ts";
import { Problem, refuse } from "./problem.ts";

/** A request body as received: the media type, the declared media type it falls under, and its value. */
export interface ReceivedBody {
  mediaType: MediaType;
  contentType: string;
  value: unknown;
}

export type BodyReader = (request: Request, response: Response) => Promise<ReceivedBody | undefined>;

/**
 * Reads bodies of the declared media types, at most `limit` bytes, uncompressed. Refuses with 415 what is not declared,
 * 413 what is too large, 400 what is malformed or missing where required. What is neither JSON, a form nor text stays bytes, multipart among it.
 */
export function bodyReader(declared: string[], required: boolean, limit: number): BodyReader {
  const raw = express.raw({ type: () => true, limit, inflate: false });
  return async (request, response) => {
    if (!hasBody(request)) {
      if (required) throw refuse(400, "A request body is required.");
      return undefined;
    }
    const mediaType = parseMediaType(request.headers["content-type"] ?? "");
    const contentType = mediaType && declaredAs(mediaType, declared);
    if (contentType === undefined) {
      throw refuse(415, `Send the body as ${declared.join(" or ")}, in UTF-8 where it is text.`);
    }
    if (request.readableDidRead) {
      throw new Error("The body was read before the operation. Mount it ahead of other body parsers.");
    }
    await new Promise<void>((done, failed) => {
      raw(request, response, (error?: unknown) => (error === undefined ? done() : failed(asProblem(error, limit))));
    });
    return { mediaType: mediaType!, contentType, value: decode(request.body as Buffer, mediaType!.essence) };
  };
}

/** A body follows when the request says so (RFC 9112, section 6.3). */
function hasBody(request: Request): boolean {
  const length = request.headers["content-length"];
  return request.headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}

function decode(bytes: Buffer, essence: string): unknown {
  const text = () => {
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      throw refuse(400, "The request body is not valid UTF-8.");
    }
  };
  if (isJson(essence)) {
    try {
      return parseJson(text());
    } catch (error) {
      throw error instanceof SyntaxError ? refuse(400, `The request body ${error.message}.`) : error;
    }
  }
  if (essence === "application/x-www-form-urlencoded") return { ...parseForm(text()) };
  return essence.startsWith("text/") ? text() : bytes;
}

/** body-parser's errors echo input, so that only their status is kept. */
function asProblem(error: unknown, limit: number): unknown {
  const status = error instanceof Error && "status" in error ? error.status : undefined;
  if (status === 413) return refuse(413, `The request body is larger than ${limit} bytes.`);
  if (status === 415) return refuse(415, "Send the body uncompressed.");
  if (status === 400) return refuse(400, "The request body did not arrive as announced.");
  return error instanceof Problem ? error : new Error("The request body could not be read.", { cause: error });
}
