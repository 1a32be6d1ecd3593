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
import { createProblem, unreadableField } from "../problem.ts";
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

/**
 * Returns the parser of `multipart/form-data` bodies of a declared media type (RFC 7578). A part of a file field is a
 * file, and its field holds an empty text for each file. Other parts are fields. Rejects text in a file field, because
 * the schema treats text and file alike as strings.
 */
export function multipartReader(
  document: OpenApiDocument,
  mediaType: MediaTypeObject,
): (bytes: Uint8Array, contentType: string) => Promise<ReadForm> {
  const read = fieldsReader(document, mediaType, (text) => text);
  const fileFields = new Set(
    fieldsOf(document, mediaType.schema).flatMap(([name, schemas]) => {
      return schemas.some((schema) => isFile(document, schema)) ? name : [];
    }),
  );
  const declared = new Set(fieldsOf(document, mediaType.schema).map(([name]) => name));
  return async (bytes, contentType) => {
    const pairs: Pair[] = [];
    const files: UploadedFile[] = [];
    for (const part of await partsOf(bytes, contentType)) {
      const isField = part.file === undefined || (declared.has(part.name) && !fileFields.has(part.name));
      if (!isField) files.push(part.file!);
      else if (fileFields.has(part.name)) throw unreadableField(part.name, "must be a file");
      pairs.push([part.name, isField ? (part.text ?? Buffer.from(part.file!.bytes).toString()) : ""]);
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

async function partsOf(bytes: Uint8Array, contentType: string): Promise<Part[]> {
  const parts: Part[] = [];
  try {
    const limits = { fieldSize: Infinity, fieldNameSize: bytes.length };
    const parser = busboy({ headers: { "content-type": contentType }, limits, defParamCharset: "utf8" });
    parser.on("field", (name, text) => parts.push({ name, text }));
    parser.on("file", (field, stream, { filename: name = "", mimeType }) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("error", () => {}); // the parser reports the same error; without a listener, it would end the process
      stream.on("close", () => {
        parts.push({ name: field, file: { field, name, contentType: mimeType, bytes: Buffer.concat(chunks) } });
      });
    });
    parser.end(bytes);
    await once(parser, "close");
  } catch {
    throw createProblem(400, "The request body is not valid multipart/form-data.");
  }
  for (const { name, text, file } of parts) {
    // busboy passes undefined for an empty or missing name, and for text in an unknown charset
    if (!name)
      throw createProblem(400, "A part of the request body has no name. Name its field in Content-Disposition.");
    if (text === undefined && file === undefined)
      throw unreadableField(name, "is in an unknown charset. Send it in UTF-8");
  }
  return parts;
}

/** Returns the reader of the fields of a form, which are typed by its schema. */
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

function isFile(document: OpenApiDocument, node: Schema): boolean {
  const { format, contentMediaType, contentEncoding, items } = effectiveSchema(document, node);
  if (format === "binary" || (contentMediaType !== undefined && contentEncoding === undefined)) return true;
  return items !== undefined && isFile(document, items);
}
