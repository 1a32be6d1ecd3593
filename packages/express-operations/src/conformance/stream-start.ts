/** The start of a body is complete after this many bytes, lines or milliseconds. */
const MAX_BYTES = 65_536;
const MAX_LINES = 200;
const MAX_MILLISECONDS = 2_000;

const LINE_FEED = 10;

/** Reads the start of a body, and cancels the rest: a stream may never end, and a file may be large. */
export async function readStart({ body }: Response): Promise<{ bytes: Buffer; isStart: boolean }> {
  const chunks: Uint8Array[] = [];
  const read = (isStart: boolean) => ({ bytes: Buffer.concat(chunks), isStart });
  if (body === null) return read(false);
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, MAX_MILLISECONDS, undefined);
  let [bytes, lines] = [0, 0];
  try {
    while (bytes < MAX_BYTES && lines < MAX_LINES) {
      const next = await Promise.race([reader.read(), late]);
      if (next === undefined) return read(true);
      if (next.done) return read(false);
      chunks.push(next.value);
      bytes += next.value.length;
      for (const byte of next.value) if (byte === LINE_FEED) lines++;
    }
    return read(true);
  } finally {
    clearTimeout(timer);
    await reader.cancel().catch(() => {}); // the body has failed, or has ended
  }
}
