import { errorOf, failureOf } from "../call/failure.ts";
import type { ResponseExchange } from "../call/exchange.ts";
import { essenceOf, isJson } from "../media-type.ts";
import { chunksOf, tooLarge } from "../parts/size-limit.ts";
import { type Reader, readText } from "./read-body.ts";
import { parsed, readJson } from "./read-json.ts";

/** Reads text. */
export const readString: Reader = readText;

/** Reads bytes as a `Blob` with the media type of the response. */
export const readBlob: Reader = async ({ response }) =>
  new Blob([await response.arrayBuffer()], { type: response.headers.get("Content-Type") ?? "" });

/** Reads JSON, text or bytes by the media type of the response, for a contract that declares any media type. */
export const readAny: Reader = (exchange) => {
  const type = essenceOf(exchange.response.headers.get("Content-Type"));
  if (type === "" || isJson(type)) return readJson(exchange);
  return type.startsWith("text/") || /[/+](?:xml|yaml)$/.test(type) ? readString(exchange) : readBlob(exchange);
};

/** Reads JSON values, one on each line, as they arrive. */
export const readLines: Reader = /* @__PURE__ */ readValuesBy("\n");

/** Reads JSON values, each after the character RS (RFC 7464), as they arrive. */
export const readSequence: Reader = /* @__PURE__ */ readValuesBy("\u001e");

/** Returns a reader of JSON values between separators, as they arrive. */
export function readValuesBy(separator: string, parse: (text: string) => unknown = (text) => parsed(text)): Reader {
  return (exchange) => {
    const { response, settings } = exchange;
    async function* values(): AsyncGenerator {
      for await (const text of textsOf(response, settings.maxResponseBytes, separator))
        if (text.trim() !== "") yield parse(text);
    }
    return failing(values(), exchange);
  };
}

/** Returns the values of a stream, read after the attempt. Throws the error of the contract if the stream fails. */
export function failing<Value>(values: AsyncIterable<Value>, exchange: ResponseExchange): AsyncGenerator<Value> {
  exchange.isHeld = true;
  return failingValues(values, exchange);
}

async function* failingValues<Value>(values: AsyncIterable<Value>, exchange: ResponseExchange): AsyncGenerator<Value> {
  try {
    yield* values;
  } catch (cause) {
    if ((cause as Error).name === `${exchange.api.name}Error`) throw cause;
    throw errorOf({ ...exchange, result: failureOf(exchange, cause) });
  }
}

/** Yields the texts between separators of one byte, each of at most `limit` bytes. */
export async function* textsOf(response: Response, limit: number, separator: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const end = separator.charCodeAt(0);
  let pending: string[] = [];
  let size = 0;
  const count = (bytes: number): void => {
    size += bytes;
    if (size > limit) throw tooLarge(limit, "A value of the stream");
  };
  const stream = response.body ?? new Blob([await response.arrayBuffer()]).stream(); // React Native has no streams of bodies.
  for await (const chunk of chunksOf(stream)) {
    const texts = decoder.decode(chunk, { stream: true }).split(separator);
    let start = 0;
    for (const text of texts.slice(0, -1)) {
      // The byte of a separator is part of no other character in UTF-8.
      const next = chunk.indexOf(end, start) + 1;
      count(next - 1 - start);
      yield pending.join("") + text;
      [pending, size, start] = [[], 0, next];
    }
    pending.push(texts.at(-1)!);
    count(chunk.length - start);
  }
  const rest = pending.join("") + decoder.decode();
  if (rest !== "") yield rest;
}
