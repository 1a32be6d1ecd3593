import { type OpenApiDocument, resolve, type Schema } from "openapi-document";

/** Returns the types that a value of a schema may have; `any` if the schema leaves it open. */
export function typesOfSchema(document: OpenApiDocument, given: Schema | undefined, depth = 0): Set<string> {
  const schema = resolve<Schema>(document, given ?? {});
  if (typeof schema !== "object" || depth > 16) return new Set(["any"]);
  const { type, nullable } = schema;
  const own = new Set([type ?? []].flat());
  if (nullable === true) own.add("null");
  if (own.size > 0) return own;
  const of = (keyword: string) =>
    ((schema[keyword] ?? []) as Schema[]).map((member) => typesOfSchema(document, member, depth + 1));
  const [alternatives, parts] = [[...of("oneOf"), ...of("anyOf")], of("allOf")];
  if (alternatives.length > 0) return new Set(alternatives.flatMap((types) => [...types]));
  const known = parts.find((types) => !types.has("any"));
  if (known) return known;
  if ("properties" in schema || "additionalProperties" in schema) return new Set(["object"]);
  if ("items" in schema) return new Set(["array"]);
  const values = (schema["enum"] ?? ("const" in schema ? [schema["const"]] : undefined)) as unknown[] | undefined;
  if (values)
    return new Set(values.map((value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value)));
  return new Set(["any"]);
}
