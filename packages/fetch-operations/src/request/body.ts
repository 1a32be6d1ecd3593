/** Writes the body of a request. It may return the media type with parameters, such as a boundary; null leaves it to `fetch`. */
export type BodyWriter = (value: unknown, contentType: string) => WrittenBody;

/** A body that `fetch` can send. */
export interface WrittenBody {
  body: BodyInit;
  contentType: string | null;
}

/** Writes a body as JSON. */
export const writeJson: BodyWriter = (value, contentType) => ({ body: JSON.stringify(value), contentType });

/** Writes text and bytes as they are: a string, a `Blob`, a buffer or a stream. */
export const writeRaw: BodyWriter = (value, contentType) => ({ body: value as BodyInit, contentType });
