import { type MediaTypeObject, type OpenApiDocument, type OperationEntry, essenceOf } from "openapi-document";
import { announcementReader } from "../request/announced-body.ts";
import type { BodyReader } from "../request/body.ts";
import type { BodyLimits } from "../request/limits.ts";
import type { Validators } from "../eov/validator.ts";
import { BodyStream } from "./body-stream.ts";
import { MultipartStream } from "./multipart-stream.ts";
import { type PartReader, partReader } from "./part-reader.ts";

/**
 * Returns the reader of streamed bodies. It checks the headers and reads nothing: the body is read by the handler. The
 * value is a stream of bytes, or undefined for a form, which has `parts`. Rejects if a schema is invalid.
 */
export async function streamedBodyReader(
  document: OpenApiDocument,
  entry: OperationEntry,
  content: Record<string, MediaTypeObject>,
  options: { required: boolean; limits: BodyLimits; vendorTypes: boolean; validators: Validators },
): Promise<BodyReader> {
  const { required, limits, vendorTypes, validators } = options;
  const announced = announcementReader(content, { required, limit: limits.bodyLimit, vendorTypes });
  const readers = new Map<string, PartReader>();
  for (const [type, mediaType] of Object.entries(content)) {
    if (essenceOf(type) !== "multipart/form-data") continue;
    readers.set(type, await partReader(document, entry, { mediaType, schemas: validators.get(type)!, limits }));
  }
  return (request, response) => {
    const body = announced(request);
    if (body === undefined) return undefined;
    const { sent, declaredType, contentType } = body;
    const readParts = readers.get(declaredType);
    const stream = new BodyStream(request, response, limits.bodyLimit);
    const received = { contentType, declaredType, isOpaque: true, stream };
    if (readParts === undefined) return { ...received, value: stream };
    return { ...received, value: undefined, parts: readParts(new MultipartStream(stream, sent, limits)) };
  };
}
