import { type OpenApiDocument, resolve, type Schema } from "openapi-document";

/** Returns the types that a value of a schema may have; `any` if the schema leaves it open. */
export function typesOfSchema(
  document: OpenApiDocument,
  given: Schema | undefined,
  known = new Map<Schema, Set<string>>(),
): Set<string> {
  const schema = resolve<Schema>(document, given ?? {});
  if (!known.has(schema)) {
    known.set(schema, new Set(["any"])); // for members that lead back to the schema
    known.set(schema, combinedTypes(document, schema, known));
  }
  return known.get(schema)!;
}

function combinedTypes(document: OpenApiDocument, schema: Schema, known: Map<Schema, Set<string>>): Set<string> {
  if (typeof schema !== "object") return new Set(["any"]);
  const { type, nullable } = schema;
  const own = new Set([type ?? []].flat());
  if (nullable === true) own.add("null");
  if (own.size > 0) return own;
  const of = (keyword: string) =>
    ((schema[keyword] ?? []) as Schema[]).map((member) => typesOfSchema(document, member, known));
  const [alternatives, parts] = [[...of("oneOf"), ...of("anyOf")], of("allOf")];
  if (alternatives.length > 0) return new Set(alternatives.flatMap((types) => [...types]));
  const narrowed = parts.find((types) => !types.has("any"));
  if (narrowed) return narrowed;
  if ("properties" in schema || "additionalProperties" in schema) return new Set(["object"]);
  if ("items" in schema) return new Set(["array"]);
  const values = (schema["enum"] ?? ("const" in schema ? [schema["const"]] : undefined)) as unknown[] | undefined;
  if (values)
    return new Set(values.map((value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value)));
  return new Set(["any"]);
}
