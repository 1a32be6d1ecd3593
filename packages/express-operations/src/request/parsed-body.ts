import type { Request } from "express";
import { isJson } from "openapi-document";

/** A request whose middlewares may have read the body, and may have kept its bytes, as serverless platforms do. */
type ReadRequest = Request & { rawBody?: unknown; body?: unknown; file?: unknown; files?: unknown };

/** A file of a form, as multer keeps it. It is not in memory if multer has written it to a disk. */
interface KeptFile {
  fieldname: string;
  originalname: string;
  mimetype: string;
  buffer?: Uint8Array<ArrayBuffer>;
}

/** A body that a middleware has read. The `Content-Type` of its bytes is that of the request, unless the bytes are written anew. */
export type ReadBody = { value: unknown } | { bytes: Buffer; sent?: string };

/**
 * Returns the bytes of a body that a middleware has read: those in `rawBody`, or else, if `parsedBodies` is set, those that
 * its value in `request.body` stands for, and the files of multer. The value of JSON is returned itself. Undefined for a body that is still to be read.
 */
export function readBody(
  request: ReadRequest,
  essence: string,
  parsedBodies: boolean,
): ReadBody | Promise<ReadBody> | undefined {
  const { rawBody, body } = request;
  if (rawBody instanceof Uint8Array) return { bytes: bufferOf(rawBody) };
  if (!request.readableDidRead) return undefined;
  if (!parsedBodies || body === undefined) throw alreadyRead();
  if (body instanceof Uint8Array) return { bytes: bufferOf(body) };
  if (isJson(essence)) return { value: body };
  if (typeof body === "string") return { bytes: Buffer.from(body) };
  const fields = Object.entries(body as object).flatMap(([name, value]) => pairsOf(name, value));
  if (essence === "application/x-www-form-urlencoded")
    return { bytes: Buffer.from(new URLSearchParams(fields).toString()) };
  if (essence === "multipart/form-data") return multipartOf(fields, filesIn(request));
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

/** Returns the fields of a form of which a parser has made a value. Members of objects have names such as `a[b]`. */
function pairsOf(name: string, value: unknown): [string, string][] {
  if (Array.isArray(value)) return value.flatMap((item) => pairsOf(name, item));
  if (typeof value !== "object" || value === null) return [[name, String(value)]];
  return Object.entries(value).flatMap(([key, member]) => pairsOf(`${name}[${key}]`, member));
}

/** Returns the files of multer's `single`, or of `array`, `any` and `fields`. */
function filesIn({ file, files }: ReadRequest): KeptFile[] {
  return (file === undefined ? Object.values(files ?? {}).flat() : [file]) as KeptFile[];
}

async function multipartOf(fields: [string, string][], files: KeptFile[]): Promise<ReadBody> {
  const form = new FormData();
  for (const [name, text] of fields) form.append(name, text);
  for (const { fieldname, originalname, mimetype, buffer } of files) {
    if (buffer === undefined)
      throw new Error(
        "A file of the request was already written to a disk. Keep it in memory: `multer.memoryStorage()`.",
      );
    form.append(fieldname, new Blob([buffer], { type: mimetype }), originalname);
  }
  const written = new Response(form);
  return { bytes: Buffer.from(await written.arrayBuffer()), sent: written.headers.get("content-type")! };
}
