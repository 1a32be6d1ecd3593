import { UnsendableRequest } from "./unsendable-request.ts";

/** Writes the body of a request. It may return the media type with parameters, such as a boundary; null leaves it to `fetch`. */
export type BodyWriter = (value: unknown, contentType: string) => WrittenBody;

/** A body that `fetch` can send. */
export interface WrittenBody {
  body: Exclude<RequestInit["body"], null | undefined>; // `BodyInit`, which Node's types do not name
  contentType: string | null;
}

/** Writes a body as JSON. */
export const writeJson: BodyWriter = (value, contentType) => ({ body: JSON.stringify(value), contentType });

/** Writes text and bytes as they are: a string, a `Blob`, a buffer or a stream. A range such as `image/*` takes the type of a `Blob`. */
export const writeRaw: BodyWriter = (value, contentType) => {
  const type = contentType.includes("*") ? (value as Blob).type : contentType;
  if (!type) throw new UnsendableRequest(`The body has no media type. Pass a Blob with a type of ${contentType}.`);
  return { body: value as WrittenBody["body"], contentType: type };
};

/** Writes a body as JSON, with each `bigint` as an integer. */
export const writeBigJson: BodyWriter = (value, contentType) => {
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
