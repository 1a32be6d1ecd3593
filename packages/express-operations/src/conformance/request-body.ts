import {
  type EncodingObject,
  type OpenApiDocument,
  type OperationEntry,
  type RequestBodyObject,
  resolve,
  type Schema,
  essenceOf,
  isJson,
  effectiveSchema,
  isRecord,
  propertiesOf,
} from "openapi-document";
import { declaredAs, parseMediaType } from "../media-type.ts";
import { exampleValue, withoutReadOnly } from "../example/example-value.ts";
import { givenExample, parsedExample } from "openapi-document/example";

/** A body and its media type. */
export interface RequestBody {
  contentType: string;
  value: unknown;
}

/** Represents a body that is not JSON. */
export const NOT_JSON = Symbol("text that is not JSON");

/** The body that the checks send: JSON if the operation accepts JSON, else the first of its media types. */
export interface DeclaredBody {
  contentType: string;
  essence: string;
  isRequired: boolean;
  /** All media types that the operation accepts. */
  declared: string[];
  schema: Schema;
  /** How the fields of a form are written. */
  encoding: Record<string, EncodingObject>;
  example: unknown;
}

/** The media type of forms without files. */
export const FORM = "application/x-www-form-urlencoded";
const SENT_AS: Record<string, string> = { "*/*": "application/octet-stream", "text/*": "text/plain" };

/** Returns a media type that matches a declared media type or range. */
export function sentAs(declared: string): string {
  return SENT_AS[declared] ?? declared.replace("/*", "/x-any");
}

/** A media type that no document declares. */
export const UNKNOWN = "application/x-unknown";

/** Returns whether a media type or a range of a list has the unknown one. */
export function hasUnknown(declared: string[]): boolean {
  return declaredAs(parseMediaType(UNKNOWN)!, declared) !== undefined;
}

/** Returns the body that an operation accepts, if any. GET and HEAD have none, because `fetch` sends none. */
export function declaredBody(document: OpenApiDocument, entry: OperationEntry): DeclaredBody | undefined {
  if (entry.method === "get" || entry.method === "head") return undefined;
  const { content = {}, required } = resolve<RequestBodyObject>(document, entry.operation.requestBody ?? {});
  const declared = Object.keys(content);
  const key = declared.find((type) => isJson(essenceOf(type))) ?? declared[0];
  if (key === undefined) return undefined;
  const { schema = {}, encoding = {} } = content[key]!;
  const contentType = sentAs(key);
  return {
    contentType,
    essence: essenceOf(contentType),
    isRequired: required === true,
    declared,
    schema: effectiveSchema(document, schema),
    encoding,
    example: parsedExample(document, schema, givenExample(document, content[key]!)),
  };
}

/** Returns a valid body of an operation. Files are `Blob`s. */
export function exampleBody(document: OpenApiDocument, entry: OperationEntry): RequestBody | undefined {
  const body = declaredBody(document, entry);
  if (body === undefined) return undefined;
  const { contentType, essence, schema, encoding } = body;
  const least = isForm(essence) ? { minProperties: 1 } : {}; // a form without fields is no body
  const example = body.example ?? exampleValue(document, { allOf: [schema, least] }, `the body of "${entry.id}"`);
  const value = withoutReadOnly(document, schema, structuredClone(example));
  if (!essence.startsWith("multipart/") || !isRecord(value)) return { contentType, value };
  const fields = propertiesOf(schema);
  const parts = Object.entries(value).map(([name, part]) => {
    const [type] = encoding[name]?.contentType?.split(",") ?? [];
    return [name, withFiles(document, fields[name], part, type && sentAs(type.trim()))];
  });
  return { contentType, value: Object.fromEntries(parts) };
}

/** Returns whether a media type is a form: fields of text. */
export function isForm(essence: string): boolean {
  return essence === FORM || essence.startsWith("multipart/");
}

/** Encodes a body for `fetch`, which sets the Content-Type of `FormData` with its boundary. */
export function encodeBody({ contentType, value }: RequestBody): string | FormData {
  if (value === NOT_JSON) return "{not json";
  const essence = essenceOf(contentType);
  if (essence.startsWith("multipart/") && isRecord(value)) {
    const form = new FormData();
    for (const [name, part] of partsOf(value)) {
      if (part instanceof Blob) form.append(name, part, "file.bin");
      else form.append(name, part);
    }
    return form;
  }
  if (essence === FORM && isRecord(value)) return new URLSearchParams(partsOf(value) as [string, string][]).toString();
  return isJson(essence) || typeof value !== "string" ? JSON.stringify(value) : value;
}

/**
 * Returns the fields of a form. An array repeats its name for each item; an object is JSON (OpenAPI 3.1, "Encoding
 * Object").
 */
function partsOf(value: Record<string, unknown>): [name: string, part: string | Blob][] {
  return Object.entries(value).flatMap(([name, field]) =>
    [field].flat().map((item): [string, string | Blob] => {
      if (item instanceof Blob) return [name, item];
      return [name, isRecord(item) ? JSON.stringify(item) : String(item)];
    }),
  );
}

/** Returns whether a field of a form with this effective schema is a file. */
export function isFileSchema({ format, contentMediaType, contentEncoding }: Schema): boolean {
  return format === "binary" || (typeof contentMediaType === "string" && contentEncoding === undefined);
}

function withFiles(document: OpenApiDocument, node: Schema | undefined, value: unknown, contentType?: string): unknown {
  const schema = effectiveSchema(document, node);
  if (Array.isArray(value)) return value.map((item) => withFiles(document, schema.items, item, contentType));
  if (!isFileSchema(schema)) return value;
  const { contentMediaType = "application/octet-stream" } = schema as { contentMediaType?: string };
  return new Blob([String(value)], { type: contentType ?? contentMediaType });
}
