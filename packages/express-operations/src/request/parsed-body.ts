import type { Request } from "express";
import { isJson } from "openapi-document";

/** A request whose middlewares may have read the body, and may have kept its bytes, as serverless platforms do. */
type ReadRequest = Request & { rawBody?: unknown; body?: unknown };

/**
 * Returns the bytes of a body that a middleware has read: those in `rawBody`, or else, if `parsedBodies` is set, those that
 * its value in `request.body` stands for. The value of JSON is returned itself. Undefined for a body that is still to be read.
 */
export function readBody(
  request: ReadRequest,
  essence: string,
  parsedBodies: boolean,
): { bytes: Buffer } | { value: unknown } | undefined {
  const { rawBody, body } = request;
  if (rawBody instanceof Uint8Array) return { bytes: bufferOf(rawBody) };
  if (!request.readableDidRead) return undefined;
  if (!parsedBodies || body === undefined) throw alreadyRead();
  if (body instanceof Uint8Array) return { bytes: bufferOf(body) };
  if (isJson(essence)) return { value: body };
  if (typeof body === "string") return { bytes: Buffer.from(body) };
  if (essence === "application/x-www-form-urlencoded") return { bytes: Buffer.from(formTextOf(body)) };
  throw alreadyRead();
}

/** The error for a body that a middleware has read and not kept. */
export function alreadyRead(): Error {
  return new Error(
    "The request body was already read. Mount the implementation before other body parsers, keep the bytes in `request.rawBody`, or set the option parsedBodies.",
  );
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Returns a form with the fields that `express.urlencoded` has parsed. Members of objects have names such as `a[b]`. */
function formTextOf(fields: unknown): string {
  const pairs = (name: string, value: unknown): [string, string][] => {
    if (Array.isArray(value)) return value.flatMap((item) => pairs(name, item));
    if (typeof value !== "object" || value === null) return [[name, String(value)]];
    return Object.entries(value).flatMap(([key, member]) => pairs(`${name}[${key}]`, member));
  };
  return new URLSearchParams(
    Object.entries(fields as object).flatMap(([name, value]) => pairs(name, value)),
  ).toString();
}
