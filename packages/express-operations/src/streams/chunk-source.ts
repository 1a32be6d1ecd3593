import { Readable } from "node:stream";
import type { FileBody, StreamedBody } from "../response/streamed-response.ts";
import type { ByteRange, Representation } from "./representation.ts";

/** The chunks of a body, one at a time. */
export interface ChunkSource {
  /** Whether strings and bytes are sent as they are in a stream of items. */
  isRaw: (chunk: unknown) => boolean;
  next: () => Promise<IteratorResult<unknown, unknown>>;
  /** Stops the producer and frees what it holds. It is called once, and not after the last chunk. */
  stop: () => Promise<unknown>;
}

const ALL_RAW = (): boolean => true;
const NONE_RAW = (): boolean => false;

/** Starts to read a body. */
export function readChunks(body: Exclude<StreamedBody, Blob | FileBody>): ChunkSource {
  if (body instanceof Readable) {
    const iterator = body[Symbol.asyncIterator]();
    const stop = async (): Promise<void> => void body.destroy(); // a pending read would keep `return` waiting
    return { isRaw: body.readableObjectMode ? NONE_RAW : ALL_RAW, next: () => iterator.next(), stop };
  }
  if (body instanceof ReadableStream) {
    const reader = (body as ReadableStream<unknown>).getReader();
    const next = async (): Promise<IteratorResult<unknown, unknown>> => {
      const { done, value } = await reader.read();
      return done ? { done, value: undefined } : { done, value };
    };
    return {
      isRaw: (chunk) => typeof chunk === "string" || chunk instanceof Uint8Array,
      next,
      stop: () => reader.cancel(),
    };
  }
  const iterator = body[Symbol.asyncIterator]();
  return { isRaw: NONE_RAW, next: () => iterator.next(), stop: async () => iterator.return?.() };
}

/** Reads a part of a representation, and closes the representation after the last chunk or an error. */
export function readRepresentation(representation: Representation, range: ByteRange): ChunkSource {
  const source = range.last < range.first ? undefined : readChunks(representation.read(range));
  return {
    isRaw: ALL_RAW,
    next: async () => {
      let isOpen = false;
      try {
        const result = source === undefined ? { done: true as const, value: undefined } : await source.next();
        isOpen = result.done !== true;
        return result;
      } finally {
        if (!isOpen) await representation.close();
      }
    },
    stop: async () => {
      await source?.stop();
      await representation.close();
    },
  };
}
