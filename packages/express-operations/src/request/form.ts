import { once } from "node:events";
import busboy from "busboy";
import type {
  EncodingObject,
  MediaTypeObject,
  OpenApiDocument,
  ParameterObject,
  Schema,
} from "../document/document.ts";
import { effectiveSchema } from "../document/effective-schema.ts";
import { shapesOf } from "../document/shape.ts";
import { createProblem, Problem, unreadableField } from "../problem.ts";
import { type BodyLimits, fieldsTooLarge, fileTooLarge, tooManyParts } from "./limits.ts";
import { type Pair, type PairsOptions, pairsReader } from "./pairs.ts";
import { decodeFormText, isPercentEncoded, parsePairs } from "./query.ts";
import { kindOf } from "./style.ts";
import type { UploadedFile } from "./subject.ts";

/** The fields and files of a form. */
export interface ReadForm {
  value: object;
  files: UploadedFile[];
}

/** Returns the parser of `application/x-www-form-urlencoded` bodies of a declared media type. */
export function formReader(document: OpenApiDocument, mediaType: MediaTypeObject): (text: string) => object {
  const read = fieldsReader(document, mediaType, decodeFormText);
  return (text) => {
    if (!isPercentEncoded(text))
      throw createProblem(400, "The request body is not valid percent-encoding. Write a percent sign itself as %25.");
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
}

/** Returns the fields of `multipart/form-data` bodies of a declared media type. */
export function multipartFields(document: OpenApiDocument, mediaType: MediaTypeObject): FormFields {
  const fields = fieldsOf(document, mediaType.schema);
  const files = fields.filter(([, schemas]) => schemas.some((schema) => isFile(document, schema)));
  return {
    read: fieldsReader(document, mediaType, (text) => text),
    declared: new Map(fields),
    files: new Set(files.map(([name]) => name)),
  };
}

/**
 * Returns the parser of `multipart/form-data` bodies of a declared media type (RFC 7578). A part of a file field is a
 * file, and its field holds an empty text for each file. Other parts are fields. Rejects text in a file field, because
 * the schema treats text and file alike as strings.
 */
export function multipartReader(
  document: OpenApiDocument,
  mediaType: MediaTypeObject,
  limits: BodyLimits,
): (bytes: Uint8Array, contentType: string) => Promise<ReadForm> {
  const { read, declared, files: fileFields } = multipartFields(document, mediaType);
  return async (bytes, contentType) => {
    const pairs: Pair[] = [];
    const files: UploadedFile[] = [];
    let fieldBytes = 0;
    for (const part of await partsOf(bytes, contentType, limits)) {
      const isField = part.file === undefined || (declared.has(part.name) && !fileFields.has(part.name));
      const text = isField ? (part.text ?? Buffer.from(part.file!.bytes).toString()) : "";
      fieldBytes += Buffer.byteLength(part.name) + Buffer.byteLength(text);
      if (fieldBytes > limits.fieldLimit) throw fieldsTooLarge(limits.fieldLimit);
      if (!isField) files.push(part.file!);
      else if (fileFields.has(part.name)) throw unreadableField(part.name, "must be a file");
      pairs.push([part.name, text]);
    }
    return { value: read(pairs), files };
  };
}

/** A part of a multipart body: a text, or a file. */
interface Part {
  name: string;
  text?: string;
  file?: UploadedFile;
}

async function partsOf(bytes: Uint8Array, contentType: string, { fileLimit, maxParts }: BodyLimits): Promise<Part[]> {
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
    if (file !== undefined && file.bytes.length > fileLimit) throw fileTooLarge(name, fileLimit);
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

/** Returns the 400 of a body that is not multipart. */
export function malformedMultipart(): Problem {
  return createProblem(400, "The request body is not valid multipart/form-data.");
}

/** Rejects parts for which busboy passes undefined: without a name, and text in an unknown charset. */
export function expectReadable(name: string | undefined, content: unknown): void {
  if (!name) throw createProblem(400, "A part of the request body has no name. Name its field in Content-Disposition.");
  if (content === undefined) throw unreadableField(name, "is in an unknown charset. Send it in UTF-8");
}

function fieldsReader(
  document: OpenApiDocument,
  { schema, encoding = {} }: MediaTypeObject,
  decode: PairsOptions["decode"],
): (pairs: Pair[]) => object {
  const parameters = fieldsOf(document, schema).map(([name, schemas]) => {
    return fieldParameter(document, name, schemas.length === 1 ? schemas[0]! : { anyOf: schemas }, encoding[name]);
  });
  const read = pairsReader(document, parameters, {
    decode,
    unreadable: unreadableField,
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

function isFile(document: OpenApiDocument, node: Schema): boolean {
  const { format, contentMediaType, contentEncoding, items } = effectiveSchema(document, node);
  if (format === "binary" || (contentMediaType !== undefined && contentEncoding === undefined)) return true;
  return items !== undefined && isFile(document, items);
}
