import {
  type MediaTypeObject,
  type OpenApiDocument,
  type OperationObject,
  type ParameterObject,
  pointer,
  type RequestBodyObject,
  resolve,
  type Schema,
  conjuncts,
  effectiveSchema,
  mayBe,
  propertiesOf,
  schemasInPlace,
  schemasOfParts,
} from "openapi-document";

/**
 * Rewrites the request schemas of an operation in place, as JSON Schema that says what OpenAPI means:
 *
 * - `readOnly` fields are not required, and `readOnly` outside of fields has no meaning (OpenAPI 3.0, "Schema Object").
 * - A default that its own schema rejects is left out. It would be filled into requests, which would then be rejected.
 * - A default of a required parameter or field is left out, because the value has to be sent. So is that of a name that all
 *   objects inherit, such as `constructor`, because ajv takes the inherited value for a sent one.
 * - The schema of a whole value has no `$ref` itself, because express-openapi-validator ignores keywords beside it there.
 *
 * Returns these schemas, with those inside of them and those to which they refer.
 */
export function rewriteRequestSchemas(
  document: OpenApiDocument,
  { parameters = [], requestBody }: OperationObject,
): Set<Schema> {
  const body = resolve<RequestBodyObject | undefined>(document, requestBody);
  const holders: (MediaTypeObject & { required?: boolean })[] = [
    ...parameters.flatMap((node) => {
      const parameter = resolve<ParameterObject>(document, node);
      return [parameter, ...Object.values(parameter.content ?? {})];
    }),
    ...Object.values(body?.content ?? {}),
  ];
  const seen = new Set<Schema>();
  for (const holder of holders) {
    if (holder.schema === undefined) continue;
    if (typeof holder.schema === "boolean") holder.schema = holder.schema ? {} : { not: {} }; // EOV expects an object
    holder.schema = without("readOnly", document, holder.schema);
    if (holder.required === true || isInherited((holder as { name?: string }).name))
      holder.schema = without("default", document, holder.schema);
    if (holder.schema.$ref !== undefined) holder.schema = { allOf: [holder.schema] };
    rewrite(document, holder.schema, seen);
  }
  return seen;
}

function rewrite(document: OpenApiDocument, schema: Schema, seen: Set<Schema>): void {
  if (typeof schema !== "object" || seen.has(schema)) return;
  seen.add(schema);
  dropRequired(document, schema, "readOnly");
  const { items } = schema as { items?: Schema | boolean };
  if (typeof items === "object") schema["items"] = without("readOnly", document, items);
  dropDefaultsOfRequired(schema);
  if ("default" in schema && !mayBe(schema, schema["default"])) delete schema["default"];
  for (const below of [...schemasInPlace(document, schema), ...schemasOfParts(document, schema)])
    rewrite(document, below.schema, seen);
}

/** Returns a schema itself, or a copy of it and of what it refers to without a keyword. */
function without(keyword: "readOnly" | "default", document: OpenApiDocument, schema: Schema): Schema {
  const { $ref, [keyword]: own, ...others } = schema;
  const referred = $ref === undefined ? undefined : (pointer(document, $ref) as Schema);
  const target = referred && without(keyword, document, referred);
  if (target === referred) return own === undefined ? schema : { ...($ref !== undefined && { $ref }), ...others };
  return { ...others, allOf: [...((others["allOf"] ?? []) as Schema[]), target] };
}

/** Requires no fields of a schema, in place, that are `readOnly` or `writeOnly`; nor do the schemas that apply with it. */
export function dropRequired(document: OpenApiDocument, schema: Schema, keyword: "readOnly" | "writeOnly"): void {
  const fields = Object.entries(propertiesOf(effectiveSchema(document, schema)));
  const names = fields.flatMap(([name, field]) => (effectiveSchema(document, field)[keyword] === true ? name : []));
  if (names.length === 0) return;
  for (const part of conjuncts(document, schema)) {
    const required = ((part["required"] ?? []) as string[]).filter((name) => !names.includes(name));
    if (required.length > 0) part["required"] = required;
    else delete part["required"];
  }
}

function dropDefaultsOfRequired(schema: Schema): void {
  const { required = [], properties = {} } = schema as { required?: string[]; properties?: Record<string, Schema> };
  const fields = Object.entries(properties).map(([name, field]): [string, Schema] => {
    const { default: value, ...others } = field;
    return [name, value !== undefined && (required.includes(name) || isInherited(name)) ? others : field];
  });
  if (fields.length > 0) schema["properties"] = Object.fromEntries(fields);
}

function isInherited(name: string | undefined): boolean {
  return name !== undefined && name in Object.prototype;
}
