import {
  type MediaTypeObject,
  type OpenApiDocument,
  type OperationEntry,
  type Schema,
  effectiveSchema,
  nonNullTypesOf,
  shapesOf,
} from "openapi-document";
import { type CompiledSchemas, faultsOf } from "../eov/eov.ts";
import { unreadableField } from "../problem.ts";
import { problemOfFaults } from "../request/fault-message.ts";
import { type FormFields, multipartFields, NO_FILE, NOT_UTF_8 } from "../request/form.ts";
import { type BodyLimits, fieldsTooLarge } from "../request/limits.ts";
import type { Pair } from "../request/pairs.ts";
import { decodeUtf8 } from "../request/query.ts";
import { buildValidators } from "../eov/validator.ts";
import type { MultipartStream, ReceivedPart } from "./multipart-stream.ts";
import type { FilePart, ValuePart } from "../request/parts.ts";

/** Types and validates the parts of a streamed `multipart/form-data` body. */
export type PartReader = (multipart: MultipartStream) => AsyncGenerator<FilePart | ValuePart, void>;

/** The form of an operation. */
interface Form extends FormFields {
  isList: (field: string) => boolean;
  /** Throws the `Problem` of an invalid value of a field, or of one item of a list. */
  validateValue: (field: string, value: unknown) => unknown;
  /** Throws the `Problem` of an invalid form. Fills in defaults. */
  validate: (form: object) => Record<string, unknown>;
}

/**
 * Returns the reader of the parts of a media type. A part is validated by the schema of its field when it arrives. The
 * whole form is validated at its end. Throws if a schema is invalid.
 */
export function partReader(
  document: OpenApiDocument,
  entry: OperationEntry,
  { mediaType, schemas, limits }: { mediaType: MediaTypeObject; schemas: CompiledSchemas; limits: BodyLimits },
): PartReader {
  const fields = multipartFields(document, mediaType);
  const valueSchemas = compileValueSchemas(document, entry, mediaType.schema ?? {}, fields);
  const validated = (by: CompiledSchemas, body: object): Record<string, unknown> => {
    const data = { query: {}, params: {}, headers: {}, cookies: {}, body };
    if (!by.body(data)) throw problemOfFaults(document, [], faultsOf(by.body));
    return data.body as Record<string, unknown>;
  };
  const form: Form = {
    ...fields,
    isList: (field) => {
      const declared = fields.declared.get(field);
      return declared === undefined || mayBeList(document, declared);
    },
    validateValue: (field, value) => validated(valueSchemas, { [field]: value })[field],
    validate: (body) => validated(schemas, body),
  };
  return (multipart) => readParts(form, multipart, limits.fieldLimit);
}

async function* readParts(form: Form, multipart: MultipartStream, limit: number): AsyncGenerator<FilePart | ValuePart> {
  const pairs: Pair[] = [];
  const arrived = new Set<string>();
  let fieldBytes = 0;
  try {
    for await (const part of multipart.parts()) {
      const field = fieldOf(form, part.name);
      const isValue = part.file === undefined || form.texts.has(field);
      if (isValue && form.files.has(field)) throw unreadableField(field, NO_FILE, true);
      if (form.files.has(field) && part.file?.name === "" && (await part.file.stream.isEmpty())) continue; // as in a form
      if (arrived.has(field) && !form.isList(field))
        throw unreadableField(field, "is given twice. Give it once", form.declared.has(field));
      const text = isValue ? await textOf(field, part, limit) : "";
      fieldBytes += Buffer.byteLength(part.name) + Buffer.byteLength(text);
      if (fieldBytes > limit) throw fieldsTooLarge(limit);
      pairs.push([isValue ? part.name : field, text]);
      if (!isValue) {
        arrived.add(field);
        yield fileOf(form, field, part);
      } else if (form.declared.has(field) || !field.includes("[")) {
        arrived.add(field);
        for (const value of valuesOf(form, field, text)) yield { field, contentType: part.contentType, value };
      }
    }
    yield* assembledParts(form, form.read(pairs) as Record<string, unknown>, arrived);
  } catch (error) {
    multipart.fail(error as Error);
    throw error;
  }
}

/** Returns the field of a part. `tags[]` is one of the `tags`, and `photos[0]` is one of the files `photos`. */
function fieldOf({ declared, files }: Form, name: string): string {
  const [, field = "", index] = /^([^[]+)\[(\d*)\]$/.exec(name) ?? [];
  return files.has(field) || (index === "" && declared.has(field)) ? field : name;
}

/** busboy replaces bytes that are not UTF-8 by U+FFFD, so that a text with this character is rejected as well. */
async function textOf(field: string, { text, file }: ReceivedPart, limit: number): Promise<string> {
  const decoded = file === undefined ? text : decodeUtf8(await bytesOf(file.stream, limit));
  if (decoded === undefined || (file === undefined && decoded.includes("\uFFFD")))
    throw unreadableField(field, NOT_UTF_8);
  return decoded;
}

async function bytesOf(stream: AsyncIterable<Buffer>, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > limit) throw fieldsTooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function fileOf(form: Form, field: string, { contentType, file }: ReceivedPart): FilePart {
  form.validateValue(field, "");
  form.expectFileType(field, contentType);
  return { field, name: file!.name, contentType, stream: file!.stream };
}

/** Returns the value of a part. A list has one value for each item. */
function valuesOf(form: Form, field: string, text: string): unknown[] {
  const value = (form.read([[field, text]]) as Record<string, unknown>)[field];
  if (!Array.isArray(value)) return [form.validateValue(field, value)];
  return form.isList(field) ? value.map((item) => form.validateValue(field, item)) : [form.validateValue(field, value)];
}

/** Validates the whole form, and returns the values whose fields were sent in brackets, such as `size[min]`. */
function* assembledParts(form: Form, values: Record<string, unknown>, arrived: Set<string>): Generator<ValuePart> {
  const fields = Object.keys(values).filter((field) => !arrived.has(field));
  const validated = form.validate(values);
  for (const field of fields) {
    const value = validated[field];
    const items = Array.isArray(value) && form.isList(field) ? value : [value];
    for (const item of items) yield { field, contentType: "text/plain", value: item };
  }
}

function mayBeList(document: OpenApiDocument, schemas: Schema[]): boolean {
  return schemas.some((schema) => {
    const types = nonNullTypesOf(document, schema);
    return types.size === 0 || types.has("array");
  });
}

/**
 * Compiles the schemas that validate one value of a field, or one item of a list. A field that may
 * be either a value or a list has none, because only the whole form shows which of both it is.
 */
function compileValueSchemas(
  document: OpenApiDocument,
  entry: OperationEntry,
  schema: Schema,
  { declared }: FormFields,
): CompiledSchemas {
  const { patternProperties, additionalProperties, unevaluatedProperties } = effectiveSchema(document, schema);
  const properties = Array.from(declared, ([name, schemas]): [string, Schema] => {
    return [name, valueSchema(document, schemas)];
  });
  const others =
    additionalProperties ?? (unevaluatedProperties === false && !isOpen(document, schema) ? false : undefined);
  const contentType = "multipart/form-data";
  const values = {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(patternProperties !== undefined && { patternProperties }),
    ...(others !== undefined && { additionalProperties: others }),
  };
  const requestBody = { required: true, content: { [contentType]: { schema: values as Schema } } };
  const validators = buildValidators(document, {
    ...entry,
    parameters: [],
    operation: { ...entry.operation, requestBody },
  });
  return validators.get(contentType)!;
}

function isOpen(document: OpenApiDocument, schema: Schema): boolean {
  return shapesOf(document)({ schemas: [schema] }).isOpen;
}

function valueSchema(document: OpenApiDocument, schemas: Schema[]): Schema {
  if (!mayBeList(document, schemas)) return anyOf(schemas);
  const areLists = schemas.every((schema) => [...nonNullTypesOf(document, schema)].join() === "array");
  return areLists ? anyOf(shapesOf(document)({ schemas }).items.schemas) : {};
}

function anyOf(schemas: Schema[]): Schema {
  if (schemas.length === 0) return {};
  return schemas.length === 1 ? schemas[0]! : { anyOf: schemas };
}
