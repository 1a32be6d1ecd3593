import { CallFailure } from "../call/call-failure.ts";

/** A response, and the largest body in bytes. */
export interface LimitedBody {
  readonly response: Response;
  readonly limit: number;
}

/** Reads a body of at most `limit` bytes as text. Rejects with `response_too_large` and closes the connection beyond it. */
export async function readText(body: LimitedBody): Promise<string> {
  const { response, limit } = body;
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
  await eachChunk(body, (chunk) => (text += decoder.decode(chunk, { stream: true })));
  return text + decoder.decode();
}

/** Passes on each chunk of a body. Rejects as soon as the body is known to exceed `limit` bytes. */
export async function eachChunk(
  { response, limit }: LimitedBody,
  take: (chunk: Uint8Array<ArrayBuffer>) => void,
): Promise<void> {
  const reader = response.body!.getReader();
  let size = Number(response.headers.get("Content-Length")) > limit ? Infinity : 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      if ((size += value.length) > limit) throw tooLarge(limit);
      take(value);
    }
  } finally {
    reader.cancel().catch(() => {}); // It does nothing after the end, and the error of a broken stream was thrown above.
  }
}

/** Returns the error of a body that exceeds `maxResponseBytes`. */
export function tooLarge(limit: number, part = "The body"): CallFailure {
  return new CallFailure("response_too_large", `${part} is larger than ${limit} bytes.`);
}
