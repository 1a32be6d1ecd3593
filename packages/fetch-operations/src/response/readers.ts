import { chunksOf, readText, ResponseTooLarge } from "./read-body.ts";
import { parseJson, readJson } from "./read-json.ts";
import { essenceOf, type ReadContext, type Reader } from "./reader.ts";

/** Reads text. */
export const readString: Reader = ({ response, limit }) => readText(response, limit);

/** Reads bytes as a `Blob` with the media type of the response. */
export const readBlob: Reader = async ({ response, limit }) => {
  const chunks = await collect(chunksOf(response, limit));
  return new Blob(chunks as ConstructorParameters<typeof Blob>[0], {
    type: response.headers.get("Content-Type") ?? "",
  });
};

/** Reads JSON, text or bytes by the media type of the response, for a contract that declares any media type. */
export const readAny: Reader = (context) => {
  const type = essenceOf(context.response.headers.get("Content-Type"));
  if (type === "" || /[/+]json$/.test(type)) return readJson(context);
  return type.startsWith("text/") || /[/+](?:xml|yaml)$/.test(type) ? readString(context) : readBlob(context);
};

/** Reads JSON values, one on each line, as they arrive. */
export const readLines: Reader = (context) => jsonValues(context, "\n");

/** Reads JSON values, each after the character RS (RFC 7464), as they arrive. */
export const readSequence: Reader = (context) => jsonValues(context, "\u001e");

function jsonValues({ response, limit, hold, fail }: ReadContext, separator: string): AsyncGenerator {
  hold();
  async function* values(): AsyncGenerator {
    for await (const text of textsOf(response, limit, separator)) if (text.trim() !== "") yield parseJson(text);
  }
  return failing(values(), fail);
}

/** Yields the values of a stream. Throws the error of the contract if the stream fails. */
export async function* failing<Value>(values: AsyncIterable<Value>, fail: ReadContext["fail"]): AsyncGenerator<Value> {
  try {
    yield* values;
  } catch (error) {
    throw fail(error);
  }
}

/** Yields the texts between separators, each of at most `limit` bytes. */
export async function* textsOf(response: Response, limit: number, separator: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pending: string[] = [];
  let size = 0;
  for await (const chunk of chunksOf(response, Infinity)) {
    const texts = decoder.decode(chunk, { stream: true }).split(separator);
    for (const text of texts.slice(0, -1)) {
      yield pending.join("") + text;
      pending = [];
      size = 0;
    }
    pending.push(texts.at(-1)!);
    size += texts.at(-1)!.length;
    if (size > limit) throw new ResponseTooLarge(`A value of the stream is larger than ${limit} bytes.`);
  }
  const rest = pending.join("") + decoder.decode();
  if (rest !== "") yield rest;
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
