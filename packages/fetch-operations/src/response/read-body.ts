/** The error of a body that exceeds `maxResponseBytes`. */
export class ResponseTooLarge extends Error {
  override readonly name = "ResponseTooLarge";
}

/** Reads a body of at most `limit` bytes as text. Rejects with `ResponseTooLarge` and closes the connection beyond it. */
export async function readText(response: Response, limit: number): Promise<string> {
  const { headers } = response;
  // Node counts the bytes itself if they are not compressed. Most responses are of this kind.
  const length = headers.get("Content-Length");
  if (length !== null && Number(length) <= limit && !headers.has("Content-Encoding")) {
    const whole = await response.text();
    if (whole.length > limit) throw tooLarge(limit);
    return whole;
  }
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunksOf(response, limit)) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/** Yields the chunks of a body. Rejects with `ResponseTooLarge` as soon as the body is known to exceed `limit` bytes. */
export async function* chunksOf(response: Response, limit: number): AsyncGenerator<Uint8Array> {
  const { body } = response;
  if (Number(response.headers.get("Content-Length")) > limit) {
    await body?.cancel();
    throw tooLarge(limit);
  }
  if (!body) {
    // React Native has no streams of bodies.
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (bytes.length > limit) throw tooLarge(limit);
    if (bytes.length > 0) yield bytes;
    return;
  }
  const reader = body.getReader();
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      size += value.length;
      if (size > limit) throw tooLarge(limit);
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {}); // It does nothing after the end, and the error of a broken stream was thrown above.
  }
}

function tooLarge(limit: number): ResponseTooLarge {
  return new ResponseTooLarge(`The body is larger than ${limit} bytes.`);
}
