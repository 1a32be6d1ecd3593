import { unsendable } from "../call/call-failure.ts";

/** Writes the body of a request. It may return the media type with parameters, such as a boundary; null leaves it to `fetch`. */
export type BodyWriter = (value: unknown, contentType?: string) => WrittenBody;

/** A body that `fetch` can send. */
export interface WrittenBody {
  body: Exclude<RequestInit["body"], null | undefined>; // `BodyInit`, which Node's types do not name
  contentType: string | null;
  /** Present for a stream, which can be sent once: https://fetch.spec.whatwg.org/#dom-requestinit-duplex */
  duplex?: "half";
}

/** Returns a writer that takes the writer of the declared media type, which is the first one unless the call names another. */
export function bodyTypes(writers: Readonly<Record<string, BodyWriter>>): BodyWriter {
  const declared = Object.keys(writers);
  return (value, contentType = declared[0]!) => {
    const write = Object.hasOwn(writers, contentType) ? writers[contentType] : undefined;
    if (write === undefined)
      throw unsendable(`The operation takes no body of type ${contentType}. Pass one of ${declared.join(", ")}.`);
    return write(value, contentType);
  };
}

/** Writes a body as JSON. */
export const writeJson: BodyWriter = (value, contentType = "application/json") => ({
  body: JSON.stringify(value),
  contentType,
});

/** Writes text and bytes as they are: a string, a `Blob`, a buffer or a stream. A range such as `image/*` takes the type of a `Blob`. */
export const writeRaw: BodyWriter = (value, contentType = "application/octet-stream") => {
  const type = contentType.includes("*") ? (value as Blob).type : contentType;
  if (!type) throw unsendable(`The body has no media type. Pass a Blob with a type of ${contentType}.`);
  return { body: value as WrittenBody["body"], contentType: type, ...(isStream(value) && { duplex: "half" }) };
};

/** Returns whether a value is a stream. React Native has no class of streams. */
export function isStream(value: unknown): value is ReadableStream<Uint8Array> {
  return typeof (value as Partial<ReadableStream> | null | undefined)?.getReader === "function";
}

/** Writes a body as JSON, with each `bigint` as an integer. */
export const writeBigJson: BodyWriter = (value, contentType = "application/json") => {
  const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };
  const integers: string[] = [];
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== "bigint") return part;
    return rawJSON ? rawJSON(String(part)) : `\0${integers.push(String(part)) - 1}\0`;
  });
  const filled =
    integers.length === 0 ? text : text.replaceAll(/"\\u0000(\d+)\\u0000"/g, (_, index) => integers[Number(index)]!);
  return { body: filled, contentType };
};
