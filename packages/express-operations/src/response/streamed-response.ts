import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import type { Serialize } from "../conversions.ts";
import type { DropUndeclared, HandlerResponse } from "./handler-response.ts";
import type { ItemFormat } from "./item-format.ts";

/** The options of `file`. */
export interface FileOptions {
  /** The file name that `Content-Disposition` suggests. */
  name?: string;
  /** Default with a name: `attachment`. Without both, no `Content-Disposition` is sent. */
  disposition?: "attachment" | "inline";
  /** The entity tag, in quotes. Default: a strong one, from inode, size and modification time. */
  etag?: string;
}

/** The body of a response that is read from a file. `file` creates it. */
export class FileBody {
  readonly source: string | FileHandle;
  readonly options: FileOptions;

  constructor(source: string | FileHandle, options: FileOptions) {
    this.source = source;
    this.options = options;
  }

  /** Closes the file handle that the handler has passed. A path is not open yet. */
  async close(): Promise<void> {
    if (typeof this.source !== "string") await this.source.close();
  }
}

/** A body that is sent while it is produced. */
export type StreamedBody = Readable | ReadableStream | AsyncIterable<unknown> | Blob | FileBody;

/** Returns a body if it is a stream, a file, a `Blob` or another async iterable. */
export function asStreamedBody(body: unknown): StreamedBody | undefined {
  if (typeof body !== "object" || body === null || body instanceof Uint8Array) return undefined;
  if (body instanceof FileBody || body instanceof Blob || Symbol.asyncIterator in body) return body as StreamedBody;
  return undefined;
}

/** Prevents that an error of a stream ends the process before the stream is read. */
export function expectErrors(body: StreamedBody): void {
  if (body instanceof Readable) body.on("error", () => {});
}

/** Frees what a body holds if none of it is sent. Its iterator is not started. */
export async function discard(body: StreamedBody): Promise<void> {
  if (body instanceof Readable) body.destroy();
  else if (body instanceof FileBody) await body.close();
  else if (body instanceof ReadableStream) {
    if (!body.locked) await body.cancel();
  } else if (!(body instanceof Blob) && "return" in body) await (body as Partial<AsyncIterator<unknown>>).return?.();
}

/** Frees what the body of a response holds if an error is sent in its place. */
export function discardUnsent(response: { body?: unknown } | null | undefined): void {
  const stream = asStreamedBody(response?.body);
  if (stream !== undefined) void discard(stream).catch(() => {}); // the error that is sent comes first
}

/** The items of one response: how they are checked, filtered and written. */
export interface ItemWriter {
  isEventStream: boolean;
  /** Returns an item as text. */
  write: (item: unknown) => string;
}

/** A response whose body is sent while it is produced. */
export class StreamedResponse {
  readonly status: number;
  readonly headers: NonNullable<HandlerResponse["headers"]>;
  readonly contentType: string;
  readonly body: StreamedBody;
  /** Undefined if the media type has no items. The body is then bytes and text. */
  readonly items: ItemWriter | undefined;

  constructor({ status, headers, contentType, body, items }: StreamedResponse) {
    this.status = status;
    this.headers = headers;
    this.contentType = contentType;
    this.body = body;
    this.items = items;
  }
}

/** Returns the writer of a response's items. `check` reports the violations of an item. */
export function itemWriter(
  format: ItemFormat & { filter: DropUndeclared; serialize: Serialize | undefined },
  check: ((index: number, value: unknown) => void) | undefined,
): ItemWriter {
  let index = 0;
  return {
    isEventStream: format.isEventStream,
    write: (item) => {
      const given = format.valueOf(item);
      const value = format.serialize === undefined ? given : format.serialize(given);
      const at = index++;
      if (value !== undefined) check?.(at, value);
      return format.encode(item, format.filter(value));
    },
  };
}
