import { type OpenApiDocument, resolve, type Schema, isRecord, propertiesOf, schemasInPlace } from "openapi-document";

/** The most schemas that are visited for one message, so that its cost does not grow with the document. */
const MAX_VISITED = 2_000;

/** Returns the fields that a schema and its subschemas of the same value declare, except `readOnly` ones. */
export function namesOfFields(document: OpenApiDocument, schema: Schema): string[] {
  const fields = schemasOfValue(document, [schema], MAX_VISITED).flatMap((part) => Object.entries(propertiesOf(part)));
  const isWritable = (field: Schema): boolean => resolve<Schema>(document, field)["readOnly"] !== true;
  return [...new Set(fields.flatMap(([name, field]) => (isWritable(field) ? name : [])))];
}

/** Returns for each name of a path into a value whether a schema of its place declares the name. */
export function areDeclared(document: OpenApiDocument, root: Schema, path: readonly string[]): boolean[] {
  let schemas = [root];
  let left = MAX_VISITED;
  return path.map((name) => {
    const parts = schemasOfValue(document, schemas, left);
    left -= parts.length;
    schemas = parts.flatMap((part) => schemasOfField(part, name));
    return parts.some((part) => declares(part, name));
  });
}

/** Returns at most `limit` schemas: these and their subschemas of the same value, first. Those below `not` are left out. */
function schemasOfValue(document: OpenApiDocument, schemas: Schema[], limit: number): Schema[] {
  const visited = new Set<Schema>();
  const found: Schema[] = [];
  const visit = (schema: Schema): void => {
    if (visited.has(schema) || visited.size >= limit) return;
    visited.add(schema);
    for (const below of schemasInPlace(document, schema)) if (below.keyword !== "not") visit(below.schema);
    found.push(schema);
  };
  schemas.forEach(visit);
  return found;
}

function schemasOfField(schema: Schema, name: string): Schema[] {
  const properties = propertiesOf(schema);
  if (Object.hasOwn(properties, name)) return [properties[name]].filter(isRecord);
  const { items, prefixItems = [], patternProperties = {} } = schema as Record<string, object>;
  const { additionalProperties, unevaluatedProperties, unevaluatedItems } = schema as Record<string, object>;
  const others = [items, additionalProperties, unevaluatedProperties, unevaluatedItems];
  return [...others, ...Object.values(prefixItems), ...Object.values(patternProperties)].filter(isRecord);
}

function declares(schema: Schema, name: string): boolean {
  const { required = [], dependentRequired = {} } = schema as { required?: string[]; dependentRequired?: object };
  if (Object.hasOwn(propertiesOf(schema), name) || required.includes(name)) return true;
  return Object.entries(dependentRequired).flat(2).includes(name);
}
