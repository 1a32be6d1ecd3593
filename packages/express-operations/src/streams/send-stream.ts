import type { Request, Response } from "express";
import type { Streams } from "../compiled-operation.ts";
import type { Headers } from "../response/handler-response.ts";
import { encodeHeaders } from "../response/respond.ts";
import { discard, discardUnsent, FileBody, type StreamedResponse } from "../response/streamed-response.ts";
import { type ChunkSource, readChunks, readRepresentation } from "./chunk-source.ts";
import { openFile } from "./file.ts";
import { blobRepresentation, select } from "./representation.ts";
import { StreamWriter, type StreamSettings } from "./stream-writer.ts";

// An import of `node:http` would load Node's unused WebSocket and fetch, because it reads every export.
const { validateHeaderName, validateHeaderValue } = process.getBuiltinModule("node:http");

/** Statuses whose responses have no content (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5). */
const WITHOUT_CONTENT = new Set([204, 205, 304]);

/** The head of a response, and the chunks of its body. */
interface Prepared {
  status: number;
  headers: Headers;
  /** Undefined if the response has no body. */
  source: ChunkSource | undefined;
}

/**
 * Sends a response while its body is produced. Resolves once the response has ended or the client has gone. Rejects with
 * the error of the body. If the head was sent before, the connection is closed, so that the client sees a broken response.
 */
export async function sendStream(
  settings: StreamSettings,
  ...[request, response, streamed, { announce, abort }]: Parameters<Streams["send"]>
): Promise<void> {
  const { status, headers, source } = await prepare(request, response, streamed);
  const written = announce(status, headers);
  if (source === undefined) {
    response.writeHead(status, written).end();
    await discard(streamed.body);
    return;
  }
  const body = { source, items: streamed.items, abort };
  await new StreamWriter(response, { status, headers: written }, body, settings).send();
}

async function prepare(request: Request, response: Response, streamed: StreamedResponse): Promise<Prepared> {
  const { status, body } = streamed;
  const headers = validHeaders(streamed);
  if (WITHOUT_CONTENT.has(status)) return { status, headers, source: undefined };
  const hasBody = request.method !== "HEAD" && !response.destroyed;
  if (body instanceof FileBody || body instanceof Blob) {
    const representation = body instanceof FileBody ? await openFile(body) : blobRepresentation(body);
    let source: ChunkSource | undefined;
    try {
      const { range, ...head } = select(request, representation, { status, headers });
      if (hasBody && range !== undefined) source = readRepresentation(representation, range);
      return { ...head, source };
    } finally {
      if (source === undefined) await representation.close();
    }
  }
  if (streamed.items?.isEventStream === true) addMissing(headers, EVENT_STREAM_HEADERS);
  return { status, headers, source: hasBody ? readChunks(body) : undefined };
}

/** Encodes the headers. Throws for a header that Node would reject later, in a timer. */
function validHeaders(streamed: StreamedResponse): Record<string, string | string[]> {
  try {
    const headers = encodeHeaders(streamed.headers);
    if (streamed.status !== 204 && streamed.status !== 304) headers["Content-Type"] = streamed.contentType;
    for (const name in headers) {
      validateHeaderName(name);
      for (const line of [headers[name]!].flat()) validateHeaderValue(name, line);
    }
    return headers;
  } catch (error) {
    discardUnsent(streamed);
    throw error;
  }
}

/** Caches do not store events, and proxies such as nginx do not hold them back. */
const EVENT_STREAM_HEADERS = { "Cache-Control": "no-store", "X-Accel-Buffering": "no" };

function addMissing(headers: Record<string, string | string[]>, defaults: Record<string, string>): void {
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  for (const name in defaults) if (!given.has(name.toLowerCase())) headers[name] = defaults[name]!;
}
