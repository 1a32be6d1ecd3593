import { Readable } from "node:stream";

/** A measured request, and the size of its response or upload. */
export interface Job {
  title: string;
  /** The unit of the rate, which is the `amount` by the seconds of one transfer. */
  unit: "MB/s" | "events/s" | "lines/s" | "ms to the first byte";
  amount: number;
  method: "GET" | "POST";
  path: string;
  /** The least number of bytes of a complete response, or a text in it. */
  expected: number | string;
  upload?: { contentType: string; before: string; after: string };
}

const CHUNK = Buffer.alloc(65_536, "stream ");
const CHUNKS = 4_096;
/** The size of each download and upload in bytes: 268 MB. */
export const SIZE = CHUNK.length * CHUNKS;
const ITEMS = 100_000;

/** A stream of `SIZE` bytes. */
export function byteStream(): Readable {
  let sent = 0;
  return new Readable({
    read() {
      this.push(sent++ < CHUNKS ? CHUNK : null);
    },
  });
}

/** The bytes of an upload, without what a form has around them. */
export function* uploadChunks(): Generator<Buffer> {
  for (let sent = 0; sent < CHUNKS; sent++) yield CHUNK;
}

/** An item of the events and of the JSON lines. */
export interface Item {
  id: number;
  text: string;
}

/** The items of one response, each made when it is asked for. */
export async function* items(count = ITEMS): AsyncGenerator<Item> {
  for (let id = 0; id < count; id++) yield { id, text: "a token of an answer" };
}

/** An item as an event, and as a JSON line. */
export const eventOf = (item: Item): string => `data: ${JSON.stringify(item)}\n\n`;
export const lineOf = (item: Item): string => `${JSON.stringify(item)}\n`;

/** Reads a stream, and returns the number of its bytes. */
export async function sizeOf(stream: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const chunk of stream) size += chunk.length;
  return size;
}

/** The number of events of which the first is measured. */
export const FEW = 2;

const FORM = "bench-5f3a9c";
const UPLOADED = `{"size":${SIZE}}`;

/** The jobs, in the order of the table. */
export const JOBS: Job[] = [
  { title: "download of a stream", unit: "MB/s", amount: SIZE / 1e6, method: "GET", path: "/stream", expected: SIZE },
  { title: "download of a file", unit: "MB/s", amount: SIZE / 1e6, method: "GET", path: "/file", expected: SIZE },
  { title: "events", unit: "events/s", amount: ITEMS, method: "GET", path: "/events", expected: ITEMS * 45 },
  { title: "JSON lines", unit: "lines/s", amount: ITEMS, method: "GET", path: "/lines", expected: ITEMS * 38 },
  {
    title: "raw upload",
    unit: "MB/s",
    amount: SIZE / 1e6,
    method: "POST",
    path: "/raw",
    expected: UPLOADED,
    upload: { contentType: "application/octet-stream", before: "", after: "" },
  },
  {
    title: "multipart upload",
    unit: "MB/s",
    amount: SIZE / 1e6,
    method: "POST",
    path: "/form",
    expected: UPLOADED,
    upload: {
      contentType: `multipart/form-data; boundary=${FORM}`,
      before: `--${FORM}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`,
      after: `\r\n--${FORM}--\r\n`,
    },
  },
  {
    title: "first event",
    unit: "ms to the first byte",
    amount: 1,
    method: "GET",
    path: "/first",
    expected: "data: ",
  },
];
