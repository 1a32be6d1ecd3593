import { once } from "node:events";
import busboy from "busboy";
import {
  type EncodingObject,
  type MediaTypeObject,
  type OpenApiDocument,
  type ParameterObject,
  type Schema,
  effectiveSchema,
  nonNullTypesOf,
  shapesOf,
  essenceOf,
  isJson,
  isText,
} from "openapi-document";
import { oneOf } from "../lists.ts";
import { declaredAs, parseMediaType } from "../media-type.ts";
import { Problem, unreadableBody, unreadableField } from "../problem.ts";
import { type BodyLimits, fieldsTooLarge, fileTooLarge, tooManyParts } from "./limits.ts";
import { type Pair, type PairsOptions, pairsReader } from "./pairs.ts";
import { decodeFormText, decodeUtf8, isPercentEncoded, parsePairs } from "./query.ts";
import { kindOf } from "./style.ts";
import type { UploadedFile } from "./parts.ts";

/** The fields and files of a form. */
interface ReadForm {
  value: object;
  files: UploadedFile[];
}

/** Returns the parser of `application/x-www-form-urlencoded` bodies of a declared media type. */
export function formReader(document: OpenApiDocument, mediaType: MediaTypeObject): (text: string) => object {
  const read = fieldsReader(document, mediaType, decodeFormText);
  return (text) => {
    if (!isPercentEncoded(text))
      throw unreadableBody("The request body is not valid percent-encoding. Write a percent sign itself as %25.");
    return read(parsePairs(text));
  };
}

/** The fields of a form. */
export interface FormFields {
  /** Reads the texts of fields by their names, and types them. */
  read: (pairs: Pair[]) => object;
  /** The schemas that may describe each declared field. */
  declared: ReadonlyMap<string, Schema[]>;
  /** The declared fields that are files, or lists of files. */
  files: ReadonlySet<string>;
  /** The declared fields that are texts. The others may hold anything. */
  texts: ReadonlySet<string>;
  /** Rejects a file whose media type the `encoding` of its field does not name. */
  expectFileType: (field: string, contentType: string) => void;
}

/** Returns the fields of `multipart/form-data` bodies of a declared media type. */
export function multipartFields(document: OpenApiDocument, mediaType: MediaTypeObject): FormFields {
  const fields = fieldsOf(document, mediaType.schema);
  const namesOf = (fitting: typeof fields): Set<string> => new Set(fitting.map(([name]) => name));
  const files = namesOf(fields.filter(([, schemas]) => schemas.some((schema) => isFile(document, schema))));
  const texts = fields.filter(([name, schemas]) => {
    const contentType = mediaType.encoding?.[name]?.contentType;
    if (files.has(name) || schemas.length === 0) return false; // the schema `true` allows anything
    return !schemas.some((schema) => mayBeFile(document, schema, contentType));
  });
  return {
    read: fieldsReader(document, mediaType, (text) => text),
    declared: new Map(fields),
    files,
    texts: namesOf(texts),
    expectFileType: (field, contentType) => {
      const allowed = mediaType.encoding?.[field]?.contentType?.split(",").map((type) => type.trim());
      const type = parseMediaType(contentType);
      if (allowed !== undefined && (type === undefined || declaredAs(type, allowed) === undefined))
        throw unreadableField(field, `must be a file of ${oneOf(allowed)}`, true);
    },
  };
}

/**
 * Returns the parser of `multipart/form-data` bodies of a declared media type (RFC 7578). A part of a file field is a
 * file, and its field holds an empty text for each file. An empty part without a file name counts as absent, because
 * browsers send it for a file input without a file. Other parts are fields. Rejects text in a file field, because
 * the schema treats text and file alike as strings. A field that may hold anything takes texts and files.
 */
export function multipartReader(
  document: OpenApiDocument,
  mediaType: MediaTypeObject,
  limits: BodyLimits,
): (bytes: Uint8Array, contentType: string) => Promise<ReadForm> {
  const { read, declared, files: fileFields, texts: textFields, expectFileType } = multipartFields(document, mediaType);
  const fieldOf = (name: string): string => (declared.has(name) ? name : name.replace(/\[\d*\]$/, ""));
  return async (bytes, contentType) => {
    const pairs: Pair[] = [];
    const files: UploadedFile[] = [];
    let fieldBytes = 0;
    for (const { name, text, file } of await partsOf(bytes, contentType, limits, declared)) {
      const field = fieldOf(name);
      const isField = file === undefined || textFields.has(field);
      if (isField && fileFields.has(field)) throw unreadableField(field, NO_FILE, true);
      if (file?.name === "" && file.bytes.length === 0 && fileFields.has(field)) continue; // an empty file input (HTML)
      const value = isField ? (file === undefined ? text : decodeUtf8(file.bytes)) : "";
      if (value === undefined) throw unreadableField(field, NOT_UTF_8, declared.has(field));
      fieldBytes += Buffer.byteLength(name) + Buffer.byteLength(value);
      if (fieldBytes > limits.fieldLimit) throw fieldsTooLarge(limits.fieldLimit);
      if (!isField) {
        expectFileType(field, file.contentType);
        files.push(declared.has(field) ? { ...file, field } : file);
      }
      pairs.push([name, value]);
    }
    return { value: read(pairs), files };
  };
}

/** The fault of a text in a file field. busboy takes a part without a file name as a text, unless it is binary. */
export const NO_FILE = "must be a file. Give its part a file name";

/** The fault of a text that is not UTF-8. */
export const NOT_UTF_8 = "is not valid UTF-8. Encode it as UTF-8";

/** A part of a multipart body: a text, or a file. */
interface Part {
  name: string;
  text?: string;
  file?: UploadedFile;
}

async function partsOf(
  bytes: Uint8Array,
  contentType: string,
  { fileLimit, maxParts }: BodyLimits,
  declared: ReadonlyMap<string, unknown>,
): Promise<Part[]> {
  const parts: Part[] = [];
  let count = 0;
  try {
    const parser = multipartParser(contentType, Infinity);
    const stop = () => parser.destroy(tooManyParts(maxParts));
    parser.on("field", (name, text) => (++count > maxParts ? stop() : parts.push({ name, text })));
    parser.on("file", (field, stream, { filename: name = "", mimeType }) => {
      stream.on("error", () => {}); // the parser reports it
      if (++count > maxParts) {
        stop();
        return;
      }
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("error", () => {}); // the parser reports the same error; without a listener, it would end the process
      stream.on("close", () => {
        parts.push({ name: field, file: { field, name, contentType: mimeType, bytes: Buffer.concat(chunks) } });
      });
    });
    parser.end(bytes);
    await once(parser, "close");
  } catch (error) {
    throw error instanceof Problem ? error : malformedMultipart();
  }
  for (const { name, text, file } of parts) {
    expectReadable(name, text ?? file);
    if (file !== undefined && file.bytes.length > fileLimit) throw fileTooLarge(name, fileLimit, declared.has(name));
    // busboy replaces invalid bytes by this character
    if (text?.includes("\uFFFD") && !Buffer.from(bytes).includes("\uFFFD"))
      throw unreadableField(name, NOT_UTF_8, declared.has(name));
  }
  return parts;
}

/** Returns a parser of `multipart/form-data` bodies. It cuts the text of a field after `fieldSize` bytes. */
export function multipartParser(contentType: string, fieldSize: number): busboy.Busboy {
  try {
    return busboy({ headers: { "content-type": contentType }, limits: { fieldSize }, defParamCharset: "utf8" });
  } catch {
    throw malformedMultipart();
  }
}

export function malformedMultipart(): Problem {
  return unreadableBody("The request body is not valid multipart/form-data.");
}

/** Rejects parts for which busboy passes undefined: without a name, and text in an unknown charset. */
export function expectReadable(name: string | undefined, content: unknown): void {
  if (!name) throw unreadableBody("A part of the request body has no name. Name its field in Content-Disposition.");
  if (content === undefined) throw unreadableField(name, "is in an unknown charset. Send it in UTF-8");
}

export function fieldsReader(
  document: OpenApiDocument,
  { schema, encoding = {} }: MediaTypeObject,
  decode: PairsOptions["decode"],
  unreadable: PairsOptions["unreadable"] = unreadableField,
): (pairs: Pair[]) => object {
  const parameters = fieldsOf(document, schema).map(([name, schemas]) => {
    return fieldParameter(document, name, schemas.length === 1 ? schemas[0]! : { anyOf: schemas }, encoding[name]);
  });
  const read = pairsReader(document, parameters, {
    decode,
    unreadable,
    isForm: true,
    allowsAnyName: true,
    schema,
  });
  return (pairs) => {
    const { values, others } = read(pairs);
    return { ...others, ...values };
  };
}

/**
 * Returns a form field as a query parameter in the same style (OpenAPI 3.1, "Encoding Object"). An object without a
 * style is JSON, or has its fields in brackets.
 */
function fieldParameter(
  document: OpenApiDocument,
  name: string,
  schema: Schema,
  { contentType, style, explode }: EncodingObject = {},
): ParameterObject {
  const isStyled = style !== undefined || explode !== undefined;
  return {
    name,
    in: "query",
    schema,
    style: style ?? (!isStyled && kindOf(document, schema) === "object" ? "deepObject" : "form"),
    ...(explode !== undefined && { explode }),
    ...(!isStyled &&
      contentType?.endsWith("json") &&
      kindOf(document, schema) === "scalar" && { content: { [contentType]: {} } }),
  };
}

function fieldsOf(document: OpenApiDocument, schema: Schema = {}): [name: string, schemas: Schema[]][] {
  const { fields } = shapesOf(document)({ schemas: [schema] });
  return Array.from(fields, ([name, { schemas }]) => [name, schemas]);
}

/** Returns whether a field holds a file or a list of files, as far as its value is not null. */
function isFile(document: OpenApiDocument, node: Schema, seen = new Set<Schema>()): boolean {
  if (seen.has(node)) return false;
  seen.add(node);
  const schema = effectiveSchema(document, node);
  const { format, contentMediaType, contentEncoding, items } = schema;
  if (format === "binary" || (contentMediaType !== undefined && contentEncoding === undefined)) return true;
  if (items !== undefined) return isFile(document, items, seen);
  const choices = choicesOf(document, schema);
  return choices.length > 0 && choices.every((choice) => isFile(document, choice, seen));
}

function choicesOf(document: OpenApiDocument, schema: Schema): Schema[] {
  const members = [schema["anyOf"] ?? [], schema["oneOf"] ?? []].flat() as Schema[];
  return members.filter((member) => effectiveSchema(document, member).type !== "null");
}

/**
 * Returns whether a field may hold a file: its schema says nothing or has a file as a choice, or its media type is
 * neither text nor JSON (OpenAPI 3.1, "Encoding Object").
 */
function mayBeFile(document: OpenApiDocument, node: Schema, contentType: string | undefined): boolean {
  const schema = effectiveSchema(document, node);
  if (choicesOf(document, schema).some((choice) => isFile(document, choice))) return true;
  const { items = node } = schema;
  const types = nonNullTypesOf(document, items);
  if (types.size === 0) return fieldsOf(document, items).length === 0;
  const mediaTypes = contentType?.split(",").map(essenceOf) ?? [];
  return types.has("string") && mediaTypes.length > 0 && !mediaTypes.some((type) => isText(type) || isJson(type));
}
