import { type Fetch, sendBy, withUrl } from "../fetch.ts";

/** The error of a body that is larger than its limit. */
export class TooLargeError extends Error {
  override readonly name = "TooLargeError";
}

/**
 * Returns a `fetch` whose responses have arrived with their bodies, so that reading a body cannot fail. It rejects with a
 * `TooLargeError` and closes the connection for a body of more than a number of bytes. Bodies that `isStream` names are left unread.
 */
export function sizeLimit(
  fetch: Fetch,
  bytes = 104_857_600,
  isStream: (response: Response) => boolean = () => false,
): Fetch {
  return async (request, init) => {
    const response = await sendBy(fetch, request, init);
    // Responses without a body or with a status that no program can construct stay as they are.
    if (response.body === null || response.status < 200 || response.status > 599 || isStream(response)) return response;
    const whole = new Response(await bytesOf(response, bytes), response);
    return withUrl(whole, response.url);
  };
}

/** Reads a body of at most `limit` bytes. */
async function bytesOf(response: Response, limit: number): Promise<ArrayBuffer | Blob> {
  const { body, headers } = response;
  const length = headers.get("Content-Length");
  // Node counts the bytes itself if they are not compressed. React Native has no streams of bodies.
  if (!body || (length && Number(length) <= limit && !headers.has("Content-Encoding"))) {
    const whole = await response.arrayBuffer();
    if (whole.byteLength > limit) throw tooLarge(limit);
    return whole;
  }
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of chunksOf(body, limit, length)) chunks.push(chunk);
  return new Blob(chunks);
}

/**
 * Yields the chunks of a stream, and cancels it if the loop is left. Throws as soon as the stream is known to exceed `limit`
 * bytes. `length` is its `Content-Length`.
 */
export async function* chunksOf<Chunk extends Uint8Array>(
  stream: ReadableStream<Chunk>,
  limit = Infinity,
  length: string | null = null,
): AsyncGenerator<Chunk> {
  const reader = stream.getReader();
  let size = Number(length) > limit ? Infinity : 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      if ((size += value.length) > limit) throw tooLarge(limit);
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {}); // It does nothing after the end, and the error of a broken stream was thrown above.
  }
}

export function tooLarge(limit: number, part = "The body"): TooLargeError {
  return new TooLargeError(`${part} is larger than ${limit} bytes.`);
}
