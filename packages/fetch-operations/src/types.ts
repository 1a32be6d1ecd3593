import type { FilePart } from "./request/forms.ts";

/** The parameters of a declared operation in one location, by name. */
export type In<Operation, Location extends string> = Operation extends { parameters: infer Declared }
  ? Location extends keyof Declared
    ? [NonNullable<Declared[Location]>] extends [never]
      ? unknown
      : NonNullable<Declared[Location]>
    : unknown
  : unknown;

/** Flattens an intersection into one object type, so that editors show its fields. */
export type Fields<Type> = { [Name in keyof Type]: Type[Name] };

/** A body of bytes. */
export type BinaryBody = Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array>;

/** A multipart form. A file is a `Blob`, a `File`, bytes, a stream, or a `FilePart` with a name. */
export type Multipart<Form> = Form extends object ? { [Name in keyof Form]: PartOf<Form[Name]> } : Form;

type PartOf<Value> = Value extends Blob
  ? Blob | Uint8Array | ReadableStream<Uint8Array> | FilePart
  : Value extends Blob[]
    ? (Blob | Uint8Array | ReadableStream<Uint8Array> | FilePart)[]
    : Value;

/** The type of a list's items. `Path` leads to the list in the body. */
export type ItemOf<Data, Path extends string[] = []> = Path extends [infer Key, ...infer Rest extends string[]]
  ? Key extends keyof NonNullable<Data>
    ? ItemOf<NonNullable<Data>[Key], Rest>
    : never
  : NonNullable<Data> extends readonly (infer Item)[]
    ? Item
    : never;

/** The JSON of a value. Dates and 64-bit integers are converted in successes, and not in the bodies of errors. */
export type Unconverted<Value> = Value extends bigint
  ? number
  : Value extends { toJSON: () => string }
    ? string
    : Value extends object
      ? { [Name in keyof Value]: Unconverted<Value[Name]> }
      : Value;
