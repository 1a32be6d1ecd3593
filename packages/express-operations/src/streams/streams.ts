import { essenceOf } from "openapi-document";
import type { Streams } from "../compiled-operation.ts";
import { announcementReader } from "../request/announced-body.ts";
import { alreadyRead } from "../request/parsed-body.ts";
import { MultipartStream } from "./multipart-stream.ts";
import { type PartReader, partReader } from "./part-reader.ts";
import { BodyStream, leaveUnread } from "./request-stream.ts";
import { sendStream } from "./send-stream.ts";
import type { StreamOptions } from "./stream-writer.ts";

/** Receives and sends bodies piece by piece. Throws for invalid options. */
export function streamsOf({ headersAfter = 1_000, keepAlive = 15_000, shutdown }: StreamOptions): Streams {
  for (const [name, value] of Object.entries({ headersAfter, keepAlive })) {
    if (!(value >= 0 && value < 2 ** 31))
      throw new Error(`The option streams.${name} is ${value}. It has to be milliseconds from 0 to 2,147,483,647.`);
  }
  const settings = { headersAfter, keepAlive, ...(shutdown && { shutdown }) };
  return { bodyReader, leaveUnread, send: (...given) => sendStream(settings, ...given) };
}

/** The value is a stream of bytes, or undefined for a form, which has `parts`. Throws if a schema is invalid. */
const bodyReader: Streams["bodyReader"] = (document, entry, content, { required, limits, vendorTypes, validators }) => {
  const announced = announcementReader(content, { required, limit: limits.bodyLimit, vendorTypes });
  const readers = new Map<string, PartReader>();
  for (const [type, mediaType] of Object.entries(content)) {
    if (essenceOf(type) !== "multipart/form-data") continue;
    readers.set(type, partReader(document, entry, { mediaType, schemas: validators.get(type)!, limits }));
  }
  return (request, response) => {
    const body = announced(request);
    if (body === undefined) return undefined;
    if (request.readableDidRead) throw alreadyRead();
    const { sent, declaredType, contentType } = body;
    const readParts = readers.get(declaredType);
    const stream = new BodyStream(request, response, limits.bodyLimit);
    const received = { contentType, declaredType, isOpaque: true, stream };
    if (readParts === undefined) return { ...received, value: stream };
    return { ...received, value: undefined, parts: readParts(new MultipartStream(stream, sent, limits)) };
  };
};
