import type {
  HeaderObject,
  OpenApiDocument,
  OperationEntry,
  OperationObject,
  ParameterObject,
  Reference,
  RequestBodyObject,
  ResponseObject,
  Schema,
  SecurityRequirement,
} from "../objects.ts";
import { callbacksOf, operationsOf, requirementsOf, webhooksOf } from "../operations.ts";
import { resolve } from "../references.ts";
import { compilableTypes, documentForTypes } from "./compilable-types.ts";
import { forEachKeywordObject } from "./keyword-objects.ts";
import { removeLargeIntegers } from "./large-integers.ts";
import { isVersion32, readableDocument } from "../openapi-3-2.ts";
import { valueSchema } from "../schema/item-schema.ts";
import { describeUnevaluatedProperties } from "./unevaluated-properties.ts";

export { compilableTypes, describeUnevaluatedProperties, documentForTypes, forEachKeywordObject, removeLargeIntegers };

/** Keywords whose schemas always apply to the value or a part of it. Validation fills in their defaults. */
const APPLIED = { one: ["items", "additionalProperties"], many: ["allOf", "prefixItems"] };
/** Keywords whose schemas may not apply. ajv fills in no defaults there. */
const CONDITIONAL = { one: ["not", "if", "then", "else", "contains"], many: ["oneOf", "anyOf"] };

/**
 * Returns a copy of a document to generate handlers' types from. Parameters and body fields with a `default` are
 * required in it, because validation fills them in. Fields inside `oneOf`, `anyOf` and conditions are excepted. If
 * requests and responses share a component schema, a handler must write these fields into its response. Referenced
 * headers are inlined, as by `inlineHeaders`. `schema` describes one item of an event stream or of JSON lines, because
 * openapi-typescript does not read `itemSchema`. Operations without an operationId get the one that `implement` gives
 * them. Operations of webhooks lose theirs, because other servers implement them. Callbacks become webhooks, with the
 * names that `callbackSenders` expects, because openapi-typescript writes no callbacks. OpenAPI 3.2 becomes 3.1. Operations
 * get the header `Authorization`, which has the type of their credentials. Schemas change as by `documentForTypes`.
 */
export function withRequestDefaultsRequired<Document extends object>(document: Document): Document {
  const readable = structuredClone(readableDocument(document as Document & OpenApiDocument));
  writeOutPathItems(readable);
  const copy = documentForTypes(readable) as Document & OpenApiDocument;
  const applied = new Set<Schema>();
  const conditional = new Set<Schema>();
  const visit = (node: unknown, isApplied: boolean): void => {
    if (typeof node !== "object" || node === null) return;
    const schema = node as Schema;
    const reached = isApplied ? applied : conditional;
    if (reached.has(schema)) return;
    reached.add(schema);
    if (schema.$ref !== undefined) visit(resolve<Schema>(copy, { $ref: schema.$ref }), isApplied);
    for (const field of Object.values(schema["properties"] ?? {})) visit(field, isApplied);
    for (const part of subschemasOf(schema, APPLIED)) visit(part, isApplied);
    for (const part of subschemasOf(schema, CONDITIONAL)) visit(part, false);
  };

  for (const { id, parameters, operation } of operationsOf(copy)) {
    operation.operationId = id;
    for (const parameter of parameters) {
      if (parameter.schema?.["default"] !== undefined) parameter.required = true;
      visit(parameter.schema, true);
    }
    const requestBody = resolve<RequestBodyObject | undefined>(copy, operation.requestBody);
    for (const { schema } of Object.values(requestBody?.content ?? {})) visit(schema, true);
  }
  nameWebhooks(copy);
  for (const schema of applied) if (!conditional.has(schema)) requireDefaults(schema);
  inlineHeaders(copy);
  describeItems(copy);
  describeUnevaluatedProperties(copy);
  removeLargeIntegers(copy);
  if (isVersion32(copy)) describeIn31(copy);
  describeCredentials(copy);
  return copy;
}

/** Replaces each referenced path item by a copy, in place: operations without an operationId have one for each path. */
function writeOutPathItems(copy: OpenApiDocument): void {
  const paths = (copy.paths ?? {}) as Record<string, { $ref?: string }>;
  for (const [path, item] of Object.entries(paths)) {
    if (item.$ref !== undefined) paths[path] = structuredClone(resolve<object>(copy, item));
  }
}

/**
 * Describes the operations of OpenAPI 3.2 in the terms of 3.1, because openapi-typescript knows no later version: QUERY and
 * additional operations become POST at paths of their own, and a whole query becomes a parameter.
 */
function describeIn31(copy: OpenApiDocument): void {
  const paths = (copy.paths ?? {}) as Record<string, Record<string, unknown>>;
  for (const { method, path, operation, parameters, additional } of operationsOf(copy)) {
    for (const parameter of parameters) if (parameter.in === "querystring") describeAsQuery(parameter);
    if (method !== "query" && additional === undefined) continue;
    const { callbacks: _, ...own } = operation;
    paths[`/${method.toUpperCase()} ${path}`] = { post: { ...own, parameters } };
  }
  for (const node of Object.values(paths)) {
    const item = resolve<Record<string, unknown>>(copy, node);
    delete item["query"];
    delete item["additionalOperations"];
  }
  copy.openapi = "3.1.2";
}

function describeAsQuery(parameter: ParameterObject): void {
  const [media] = Object.values(parameter.content ?? {});
  parameter.in = "query";
  parameter.schema = media?.schema ?? {};
  delete parameter.content;
}

const CREDENTIALS = "The credentials by security scheme, for the type of `caller`.";

/**
 * Declares the credentials of each operation by security scheme, because openapi-typescript does not write `security`. OpenAPI
 * ignores declarations of this header, so the name is free.
 */
function describeCredentials(copy: OpenApiDocument): void {
  const withoutIgnored = (list: (ParameterObject | Reference)[] = []) =>
    list.filter((node) => !isAuthorization(resolve<ParameterObject>(copy, node)));
  for (const item of Object.values(copy.paths ?? {}) as (OperationObject | undefined)[])
    if (item?.parameters !== undefined) item.parameters = withoutIgnored(item.parameters);
  for (const entry of operationsOf(copy)) {
    const alternatives = requirementsOf(copy, entry).map(credentialsSchema);
    const schema = alternatives.length > 0 ? { anyOf: alternatives } : credentialsSchema({});
    const credentials = { name: "Authorization", in: "header" as const, description: CREDENTIALS, schema };
    entry.operation.parameters = [...withoutIgnored(entry.operation.parameters), credentials];
  }
}

function isAuthorization({ name, in: place }: ParameterObject): boolean {
  return place === "header" && name.toLowerCase() === "authorization";
}

function credentialsSchema(requirement: SecurityRequirement): Schema {
  const schemes = Object.keys(requirement);
  const properties = Object.fromEntries(schemes.map((name) => [name, {}]));
  return { type: "object", required: schemes, properties, additionalProperties: false };
}

/** Adds callbacks to the webhooks, and writes referenced path items out, because openapi-typescript leaves them empty. */
function nameWebhooks(copy: OpenApiDocument): void {
  const items = new Map<string, Record<string, object>>();
  const add = (name: string, { method, operation, parameters }: OperationEntry) => {
    const { operationId: _, callbacks: __, ...own } = operation;
    items.set(name, { ...items.get(name), [method]: { ...own, parameters } });
  };
  for (const entry of webhooksOf(copy)) add(entry.path, entry);
  for (const entry of callbacksOf(copy)) add(`callback ${entry.parent.id}#${entry.path}`, entry);
  if (items.size > 0) copy.webhooks = Object.fromEntries(items);
}

/**
 * Replaces each header reference in a response by the header, in place, because openapi-typescript makes a referenced
 * header required.
 */
export function inlineHeaders(document: OpenApiDocument): void {
  for (const { headers = {} } of responsesOf(document)) {
    for (const [name, header] of Object.entries(headers)) headers[name] = resolve<HeaderObject>(document, header);
  }
}

/** Describes one item of each sequential media type by `schema`, in place. */
function describeItems(document: OpenApiDocument): void {
  for (const { content = {} } of responsesOf(document)) {
    for (const [type, media] of Object.entries(content)) {
      const schema = valueSchema(document, type, media);
      if (schema !== undefined) content[type] = { ...media, schema };
    }
  }
}

function responsesOf(document: OpenApiDocument): ResponseObject[] {
  const { responses: shared = {} } = (document.components ?? {}) as { responses?: Record<string, ResponseObject> };
  const own = operationsOf(document).flatMap(({ operation }) => Object.values(operation.responses ?? {}));
  return [...new Set([...Object.values(shared), ...own].map((node) => resolve<ResponseObject>(document, node)))];
}

function subschemasOf(schema: Schema, { one, many }: typeof APPLIED): unknown[] {
  return [...one.map((keyword) => schema[keyword]), ...many.flatMap((keyword) => schema[keyword] ?? [])];
}

function requireDefaults(schema: Schema): void {
  const fields = Object.entries((schema["properties"] ?? {}) as Record<string, Schema>);
  const filled = fields.filter(([, field]) => field["default"] !== undefined && field["readOnly"] !== true);
  if (filled.length === 0) return;
  schema["required"] = [...new Set([...((schema["required"] ?? []) as string[]), ...filled.map(([name]) => name)])];
}
