import {
  type OpenApiDocument,
  type OperationEntry,
  type RequestBodyObject,
  resolve,
  type Schema,
} from "../document/document.ts";
import { essenceOf, isJson } from "../media-type.ts";
import { effectiveSchema, isRecord, propertiesOf } from "../document/effective-schema.ts";
import { exampleValue, firstExample, withoutReadOnly } from "./example-value.ts";

/** A body, and the media type it is sent as. */
export interface RequestBody {
  contentType: string;
  value: unknown;
}

/** Stands for a body that is sent as text that is not JSON. */
export const NOT_JSON = Symbol("text that is not JSON");

/** How the checks send the body of an operation: its JSON, else the first of its media types. */
export interface DeclaredBody {
  contentType: string;
  essence: string;
  isRequired: boolean;
  /** Every media type that the operation takes. */
  declared: string[];
  schema: Schema;
  example: unknown;
}

const FORM = "application/x-www-form-urlencoded";
const SENT_AS: Record<string, string> = { "*/*": "application/octet-stream", "text/*": "text/plain" };

/** Returns a media type that falls under a declared media type or range. */
export function sentAs(declared: string): string {
  return SENT_AS[declared] ?? declared.replace("/*", "/x-any");
}

/** The body that an operation takes, if any; `fetch` sends none with GET and HEAD. */
export function declaredBody(document: OpenApiDocument, entry: OperationEntry): DeclaredBody | undefined {
  if (entry.method === "get" || entry.method === "head") return undefined;
  const { content = {}, required } = resolve<RequestBodyObject>(document, entry.operation.requestBody ?? {});
  const declared = Object.keys(content);
  const key = declared.find((type) => isJson(essenceOf(type))) ?? declared[0];
  if (key === undefined) return undefined;
  const { schema = {}, example, examples } = content[key]!;
  const contentType = sentAs(key);
  return {
    contentType,
    essence: essenceOf(contentType),
    isRequired: required === true,
    declared,
    schema: effectiveSchema(document, schema),
    example: example ?? firstExample(document, examples),
  };
}

/** A valid body of an operation; files are `Blob`s. */
export function exampleBody(document: OpenApiDocument, entry: OperationEntry): RequestBody | undefined {
  const body = declaredBody(document, entry);
  if (body === undefined) return undefined;
  const { contentType, essence, schema } = body;
  const example = body.example ?? exampleValue(document, schema, `the body of "${entry.id}"`);
  const value = withoutReadOnly(document, schema, structuredClone(example));
  if (!essence.startsWith("multipart/") || !isRecord(value)) return { contentType, value };
  const fields = propertiesOf(schema);
  const parts = Object.entries(value).map(([name, part]) => [name, withFiles(document, fields[name], part)]);
  return { contentType, value: Object.fromEntries(parts) };
}

/** Whether a media type carries an object field by field, as text. */
export function isForm(essence: string): boolean {
  return essence === FORM || essence.startsWith("multipart/");
}

/** A body as `fetch` takes it; the Content-Type of a `FormData` is for `fetch` to set, boundary and all. */
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

/** An array gives its name once for each item; an object inside is JSON (OpenAPI 3.1, "Encoding Object"). */
function partsOf(value: Record<string, unknown>): [name: string, part: string | Blob][] {
  return Object.entries(value).flatMap(([name, field]) =>
    [field].flat().map((item): [string, string | Blob] => {
      if (item instanceof Blob) return [name, item];
      return [name, isRecord(item) ? JSON.stringify(item) : String(item)];
    }),
  );
}

function withFiles(document: OpenApiDocument, node: Schema | undefined, value: unknown): unknown {
  const schema = effectiveSchema(document, node);
  if (Array.isArray(value)) return value.map((item) => withFiles(document, schema.items, item));
  const { format, contentMediaType, contentEncoding } = schema;
  if (typeof contentMediaType === "string" && contentEncoding === undefined)
    return new Blob([String(value)], { type: contentMediaType });
  return format === "binary" ? new Blob([String(value)], { type: "application/octet-stream" }) : value;
}
