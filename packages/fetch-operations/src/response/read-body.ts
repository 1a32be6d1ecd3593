import { CallFailure } from "../call/call-failure.ts";
import type { ResponseExchange } from "../call/exchange.ts";

/** A response, and the largest body in bytes. */
export interface LimitedBody {
  readonly response: Response;
  readonly limit: number;
}

/** Reads a body of at most `limit` bytes as text. Rejects with `response_too_large` and closes the connection beyond it. */
export async function readText({ response, limit }: LimitedBody): Promise<string> {
  const { headers } = response;
  const length = headers.get("Content-Length");
  // Node counts the bytes itself if they are not compressed. React Native has no streams of bodies.
  if (!response.body || (length && Number(length) <= limit && !headers.has("Content-Encoding"))) {
    const whole = await response.text();
    if (whole.length > limit) throw tooLarge(limit);
    return whole;
  }
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunksOf(response.body, limit, length)) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
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

export function tooLarge(limit: number, part = "The body"): CallFailure {
  return new CallFailure("response_too_large", `${part} is larger than ${limit} bytes.`);
}

/** Reads the body of a successful response. */
export type Reader = (exchange: ResponseExchange) => unknown;
