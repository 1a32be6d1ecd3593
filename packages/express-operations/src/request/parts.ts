import type { Readable } from "node:stream";

/** A file of a multipart body, held in memory. */
export interface UploadedFile {
  /** The name of the form field. */
  field: string;
  /** The file name that the client sent. It is not a trusted path. */
  name: string;
  contentType: string;
  bytes: Uint8Array;
}

/** A file of a streamed multipart body. */
export interface FilePart<Field extends string = string> {
  /** The name of the form field. */
  field: Field;
  /** The file name that the client sent. It is not a trusted path. */
  name: string;
  contentType: string;
  /** The bytes of the file while they arrive. They must be read before the next part. */
  stream: Readable;
  value?: undefined;
}

/** A value of a streamed multipart body. Each item of a list is a part of its own. */
export interface ValuePart<Field extends string = string, Value = unknown> {
  /** The name of the form field. */
  field: Field;
  contentType: string;
  /** The value with its declared type. */
  value: Value;
  name?: undefined;
  stream?: undefined;
}

/** The body of a request to an operation that the handler reads: `body` or `parts` as streams. */
export type StreamedBody<Operation> = StreamedContent<BodyOf<Operation>>;

/** Includes undefined if the body is optional. `never` for an operation without a body. */
export type BodyOf<Operation> = Operation extends { requestBody: infer Body }
  ? Body
  : Operation extends { requestBody?: infer Body }
    ? Body | undefined
    : never;

type StreamedContent<Body> = Body extends { content: infer Content }
  ? {
      [MediaType in keyof Content]: MediaType extends `multipart/form-data${string}`
        ? { contentType: MediaType; parts: AsyncIterable<PartOf<Content[MediaType]>>; body?: undefined }
        : { contentType: Concrete<MediaType>; body: Readable; parts?: undefined };
    }[keyof Content]
  : { contentType?: undefined; body?: undefined; parts?: undefined };

/** The parts of a form. A text may be a file, because openapi-typescript writes both as `string`. */
export type PartOf<Form> = {
  [Field in keyof Form]-?: PartOfField<Field & string, ItemOf<Exclude<Form[Field], undefined>>>;
}[keyof Form];

type ItemOf<Value> = Value extends readonly (infer Item)[] ? Item : Value;

type PartOfField<Field extends string, Value> =
  | ([Exclude<Value, Bytes>] extends [never] ? never : ValuePart<Field, Exclude<Value, Bytes>>)
  | (string extends Value ? FilePart<Field> : [Extract<Value, Bytes>] extends [never] ? never : FilePart<Field>);

/** The types that programs give to files in place of `string`. */
type Bytes = Blob | Uint8Array;

/** The media types that a media range includes. */
export type Concrete<MediaType> = MediaType extends "*/*"
  ? `${string}/${string}`
  : MediaType extends `${infer Major}/*${infer Suffix}`
    ? `${Major}/${string}${Suffix}`
    : MediaType;
