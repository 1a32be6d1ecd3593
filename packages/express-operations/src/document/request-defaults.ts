import {
  type HeaderObject,
  type OpenApiDocument,
  operationsOf,
  type RequestBodyObject,
  resolve,
  type ResponseObject,
  type Schema,
} from "./document.ts";

/** What holds for the value itself or a part of it, whatever the value is: there validation fills in defaults. */
const CERTAIN = { one: ["items", "additionalProperties"], many: ["allOf", "prefixItems"] };
/** What may or may not hold: there ajv fills in none. */
const UNCERTAIN = { one: ["not", "if", "then", "else", "contains"], many: ["oneOf", "anyOf"] };

/**
 * A copy of a document to generate handlers' types from: what of a request has a `default` is required, since validation
 * has filled it in before the handler sees it. That is parameters, and fields of bodies except inside `oneOf`, `anyOf` and
 * conditions. A component schema that requests and responses share has one type for both, so a handler that answers with
 * it writes such fields out. Referenced headers are inlined, as by `inlineHeaders`.
 */
export function withRequestDefaultsRequired<Document extends object>(document: Document): Document {
  const copy = structuredClone(document) as Document & OpenApiDocument;
  const certain = new Set<Schema>();
  const uncertain = new Set<Schema>();
  const visit = (node: unknown, isCertain: boolean): void => {
    if (typeof node !== "object" || node === null) return;
    const schema = node as Schema;
    const reached = isCertain ? certain : uncertain;
    if (reached.has(schema)) return;
    reached.add(schema);
    if (schema.$ref !== undefined) visit(resolve<Schema>(copy, { $ref: schema.$ref }), isCertain);
    for (const field of Object.values(schema["properties"] ?? {})) visit(field, isCertain);
    for (const part of partsOf(schema, CERTAIN)) visit(part, isCertain);
    for (const part of partsOf(schema, UNCERTAIN)) visit(part, false);
  };

  for (const { parameters, operation } of operationsOf(copy)) {
    for (const parameter of parameters) {
      if (parameter.schema?.["default"] !== undefined) parameter.required = true;
      visit(parameter.schema, true);
    }
    const requestBody = resolve<RequestBodyObject | undefined>(copy, operation.requestBody);
    for (const { schema } of Object.values(requestBody?.content ?? {})) visit(schema, true);
  }
  for (const schema of certain) if (!uncertain.has(schema)) requireDefaults(schema);
  inlineHeaders(copy);
  return copy;
}

/** Replaces each `$ref` of a response's header by the header, in place: openapi-typescript makes a referenced header required. */
export function inlineHeaders(document: OpenApiDocument): void {
  const { responses: shared = {} } = (document.components ?? {}) as { responses?: Record<string, ResponseObject> };
  const own = operationsOf(document).flatMap(({ operation }) => Object.values(operation.responses ?? {}));
  for (const node of [...Object.values(shared), ...own]) {
    const { headers = {} } = resolve<ResponseObject>(document, node);
    for (const [name, header] of Object.entries(headers)) headers[name] = resolve<HeaderObject>(document, header);
  }
}

function partsOf(schema: Schema, { one, many }: typeof CERTAIN): unknown[] {
  return [...one.map((keyword) => schema[keyword]), ...many.flatMap((keyword) => schema[keyword] ?? [])];
}

function requireDefaults(schema: Schema): void {
  const fields = Object.entries((schema["properties"] ?? {}) as Record<string, Schema>);
  const filled = fields.filter(([, field]) => field["default"] !== undefined && field["readOnly"] !== true);
  if (filled.length === 0) return;
  schema["required"] = [...new Set([...((schema["required"] ?? []) as string[]), ...filled.map(([name]) => name)])];
}
