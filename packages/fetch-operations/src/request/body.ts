import { unsendable } from "../call/call-failure.ts";
import { newKey } from "../parts/idempotency-key.ts";
import { essenceOf } from "../media-type.ts";
import { isInexact } from "./parameter.ts";

/** Writes the body of a request. It may return the media type with parameters, such as a boundary; null leaves it to `fetch`. */
export type BodyWriter = (value: unknown, contentType?: string) => WrittenBody;

/** A body that `fetch` can send. */
export interface WrittenBody {
  body: Exclude<RequestInit["body"], null>; // `BodyInit`, which Node's types do not name
  contentType: string | null;
  /** Present for a stream, which can be sent once: https://fetch.spec.whatwg.org/#dom-requestinit-duplex */
  duplex?: "half";
}

/** Returns a writer that takes the writer of the declared media type, which is the first one unless the call names another. */
export function bodyTypes(writers: Readonly<Record<string, BodyWriter>>): BodyWriter {
  const declared = Object.keys(writers);
  return (value, contentType = declared[0]!) => {
    const known = [contentType, essenceOf(contentType)].find((type) => Object.hasOwn(writers, type));
    const write = known === undefined ? undefined : writers[known];
    if (write === undefined)
      throw unsendable(`The operation takes no body of type ${contentType}. Pass one of ${declared.join(", ")}.`);
    return write(value, contentType);
  };
}

/** Writes a body as JSON. Throws for an integer that a number has rounded. */
export const writeJson: BodyWriter = (value, contentType = "application/json") => {
  if (value instanceof FormData) return { body: value, contentType: null };
  const body = JSON.stringify(value);
  if (/\d{16}/.test(body)) JSON.stringify(value, (_key, part: unknown) => exact(part));
  return { body, contentType };
};

/** Returns a value. Throws for an integer beyond 2^53 - 1, which may be another one than was meant. */
function exact<Value>(value: Value): Value {
  if (isInexact(value))
    throw unsendable(`The body has the integer ${String(value)}, which a JavaScript number may have rounded.`);
  return value;
}

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
  const write = (integer: (digits: string) => unknown) =>
    JSON.stringify(value, (_key, part: unknown) => (typeof part === "bigint" ? integer(String(part)) : exact(part)));
  if (rawJSON) return { body: write(rawJSON), contentType };
  const mark = newKey(); // no text of the program has it
  const marked = write((digits) => mark + digits) as string | undefined;
  return { body: marked?.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1"), contentType };
};

/**
 * Writes a body of a type that the contract leaves open, such as `*\/*`: a `Blob` or a form as it is, text and bytes, or else JSON. The
 * type is the value's own.
 */
export const writeAny: BodyWriter = (value, contentType = "*/*") => {
  const own = (type: string) => (contentType.includes("*") ? type : contentType);
  if (value instanceof FormData) return { body: value, contentType: null };
  if (value instanceof URLSearchParams) return { body: String(value), contentType: own(FORM) };
  if (value instanceof Blob) return writeRaw(value, own(value.type || "application/octet-stream"));
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value) || isStream(value))
    return writeRaw(value, own("application/octet-stream"));
  return typeof value === "string" && contentType === "*/*"
    ? { body: value, contentType: "text/plain" }
    : writeBigJson(value, own("application/json"));
};

export const FORM = "application/x-www-form-urlencoded";
