import {
  effectiveSchema,
  nonNullTypesOf,
  type OpenApiDocument,
  operationsOf,
  type RequestBodyObject,
  resolve,
  type ResponseObject,
  type Schema,
  schemasBelow,
  typesOf,
} from "openapi-document";
import { kindOf, type MediaKind } from "./bodies.ts";

/** The media types whose bodies or parts are bytes. Bodies of other media types have strings in place of files. */
const WITH_FILES: ReadonlySet<MediaKind> = new Set(["multipart", "binary"]);

/**
 * Gives `format: binary` to the files that `contentMediaType` describes, in place: strings of bytes without `contentEncoding`
 * (OpenAPI 3.1, "Working with Binary Data"). In JSON they are strings. A schema that JSON and files share is either.
 */
export function describeFiles(document: OpenApiDocument): void {
  const files = new Set<Schema>();
  const strings = new Set<Schema>();
  for (const { operation, parameters } of operationsOf(document)) {
    const body = resolve<RequestBodyObject | undefined>(document, operation.requestBody);
    const responses = Object.values(operation.responses ?? {}).map((node) => resolve<ResponseObject>(document, node));
    for (const { content = {} } of [body ?? {}, ...responses])
      for (const [type, { schema }] of Object.entries(content))
        collect(document, schema, WITH_FILES.has(kindOf(type)) ? files : strings);
    for (const { schema } of parameters) collect(document, schema, strings);
  }
  const { schemas = {} } = (document.components ?? {}) as { schemas?: Record<string, Schema> };
  const all = new Set([...files, ...strings]);
  for (const schema of Object.values(schemas)) collect(document, schema, all);
  const own = [...all].filter((schema) => isFile(document, schema) && !isNamedFile(document, schema));
  const typed = own.map((schema) => [schema, { type: typeOfFile(document, schema), format: "binary" }] as const);
  for (const [schema, binary] of typed) {
    if (strings.has(schema) && !files.has(schema)) continue;
    for (const keyword of ["$ref", "allOf"]) delete schema[keyword];
    Object.assign(schema, strings.has(schema) ? { type: binary.type, anyOf: [binary] } : binary);
  }
}

function collect(document: OpenApiDocument, schema: Schema | boolean | undefined, found: Set<Schema>): void {
  if (typeof schema === "object") for (const _ of schemasBelow(document, schema, "", found));
}

function isFile(document: OpenApiDocument, node: Schema): boolean {
  const { contentMediaType, contentEncoding } = effectiveSchema(document, node);
  const isOfBytes = typeof contentMediaType === "string" && kindOf(contentMediaType) === "binary";
  return (
    isOfBytes && contentEncoding === undefined && [...nonNullTypesOf(document, node)].every((type) => type === "string")
  );
}

/** Whether a schema refers to a file, so that the type has its name. */
function isNamedFile(document: OpenApiDocument, { $ref }: Schema): boolean {
  return $ref !== undefined && isFile(document, { $ref });
}

function typeOfFile(document: OpenApiDocument, node: Schema): string | string[] {
  return typesOf(effectiveSchema(document, node)).includes("null") ? ["string", "null"] : "string";
}
