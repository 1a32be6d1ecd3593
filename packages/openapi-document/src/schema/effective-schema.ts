import type { OpenApiDocument, Schema } from "../objects.ts";
import { pointer, resolve } from "../references.ts";

/**
 * Returns a schema with its references resolved and the members of its `allOf` merged: the constraints on every valid
 * value.
 */
export function effectiveSchema(document: OpenApiDocument, node: Schema = {}): Schema {
  return mergedSchema(partsOf(document, node));
}

/** Merges schemas that all apply to a value, without their references. */
export function mergedSchema(parts: Schema[]): Schema {
  const { $ref: _, allOf: __, ...merged } = parts.reduce(merge, {});
  return merged;
}

/**
 * Returns a schema and those that `$ref` and `allOf` add to it, the schema last. Each is listed once, however often
 * references lead to it, so that neither a circle nor a doubling on every level takes long.
 */
export function partsOf(document: OpenApiDocument, node: Schema | boolean, seen = new Set<unknown>()): Schema[] {
  if (typeof node !== "object") return [(node as unknown) === false ? { not: {} } : {}];
  if (seen.has(node)) return [];
  seen.add(node);
  const { $ref, allOf } = node;
  const target = $ref === undefined ? [] : partsOf(document, pointer(document, $ref) as Schema, seen);
  // OpenAPI 3.0 ignores keywords beside a reference.
  if ($ref !== undefined && document.openapi.startsWith("3.0.")) return target;
  return [...target, ...((allOf ?? []) as Schema[]).flatMap((part) => partsOf(document, part, seen)), node];
}

/**
 * Returns a schema and those that apply with it, through `$ref` and `allOf`; about `limit` of them. `true` and `false` are left
 * out.
 */
export function conjuncts(document: OpenApiDocument, schema: unknown, limit = Infinity): Schema[] {
  const isOpenApi30 = document.openapi.startsWith("3.0.");
  const found = new Set([schema]);
  for (const part of found) {
    if (found.size >= limit) break;
    if (!isRecord(part)) continue;
    const { $ref, allOf = [] } = part as Schema;
    if (typeof $ref === "string") found.add(pointer(document, $ref));
    // OpenAPI 3.0 ignores keywords beside a reference.
    if ($ref === undefined || !isOpenApi30) for (const member of allOf as unknown[]) found.add(member);
  }
  return [...found].filter(isRecord).filter(({ $ref }) => $ref === undefined || !isOpenApi30);
}

/** Returns whether the type and the listed values of a schema allow a value. */
export function mayBe(schema: Schema, value: unknown): boolean {
  const types = typesOf(schema);
  const type = typeOf(value);
  const isTyped = types.length === 0 || types.includes(type) || (type === "integer" && types.includes("number"));
  return isTyped && (typeof value === "object" || valuesOf(schema)?.includes(value) !== false);
}

/** Returns the values that a schema lists by `const` or `enum`. */
export function valuesOf(schema: Schema): unknown[] | undefined {
  return "const" in schema ? [schema["const"]] : (schema["enum"] as unknown[] | undefined);
}

/** Returns the JSON types that a schema allows; empty if it does not say. */
export function typesOf(schema: Schema): string[] {
  const types = [schema.type ?? []].flat();
  return types.length > 0 && schema["nullable"] === true ? [...types, "null"] : types;
}

/** Returns the JSON types other than null that a schema allows; empty if it does not say. */
export function nonNullTypesOf(document: OpenApiDocument, node: Schema | undefined): Set<string> {
  const types = new Set(allTypesOf(document, node));
  types.delete("null");
  return types;
}

function allTypesOf(document: OpenApiDocument, node: Schema = {}, known = new Map<Schema, string[]>()): string[] {
  const schema = resolve<Schema>(document, node);
  if (!known.has(schema)) {
    known.set(schema, []); // for members that lead back to the schema
    known.set(schema, [...new Set(combinedTypes(document, schema, known))]);
  }
  return known.get(schema)!;
}

function combinedTypes(document: OpenApiDocument, schema: Schema, known: Map<Schema, string[]>): string[] {
  if (typeof schema !== "object") return []; // `true` and `false` are schemas of JSON Schema 2020-12
  if (schema.type !== undefined) return [schema.type].flat();
  const members = (keyword: "allOf" | "oneOf" | "anyOf") =>
    ((schema[keyword] ?? []) as Schema[]).map((member) => allTypesOf(document, member, known));
  const narrowed = members("allOf").find((types) => types.length > 0);
  if (narrowed !== undefined) return narrowed;
  const choices = [...members("oneOf"), ...members("anyOf")];
  if (choices.length > 0) return choices.every((types) => types.length > 0) ? choices.flat() : [];
  return (valuesOf(schema) ?? []).map(typeOf);
}

/** Returns the values that a schema lists by `enum` or `const`. */
export function listedValuesOf(document: OpenApiDocument, node: Schema, seen = new Set<Schema>()): unknown[] {
  const schema = resolve<Schema>(document, node);
  if (typeof schema !== "object" || seen.has(schema)) return [];
  seen.add(schema);
  const values = [...((schema["enum"] ?? []) as unknown[]), ...("const" in schema ? [schema["const"]] : [])];
  const members = (["allOf", "oneOf", "anyOf"] as const).flatMap((keyword) => (schema[keyword] ?? []) as Schema[]);
  return [...values, ...members.flatMap((member) => listedValuesOf(document, member, seen))];
}

/** Returns the JSON type of a value. */
export function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

/** Returns the properties of an effective schema. */
export function propertiesOf(schema: Schema): Record<string, Schema> {
  return (schema["properties"] ?? {}) as Record<string, Schema>;
}

/** Returns the required fields of a request: those required, without the `readOnly` ones (OpenAPI 3.0). */
export function requiredOf(document: OpenApiDocument, schema: Schema): string[] {
  const fields = propertiesOf(schema);
  return ((schema["required"] ?? []) as string[]).filter((name) => !isReadOnly(document, fields[name]));
}

/** Returns whether a field is `readOnly`, so that only responses have it. */
export function isReadOnly(document: OpenApiDocument, field: Schema | undefined): boolean {
  return effectiveSchema(document, field)["readOnly"] === true;
}

/**
 * Returns the inclusive and exclusive bounds of a number. Exclusive bounds are flags in OpenAPI 3.0 and numbers in 3.1.
 */
export function boundsOf(schema: Schema): Record<"minimum" | "maximum" | "above" | "below", number | undefined> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema as Record<string, number | boolean>;
  const number = (value: unknown) => (typeof value === "number" ? value : undefined);
  return {
    minimum: exclusiveMinimum === true ? undefined : number(minimum),
    maximum: exclusiveMaximum === true ? undefined : number(maximum),
    above: number(exclusiveMinimum === true ? minimum : exclusiveMinimum),
    below: number(exclusiveMaximum === true ? maximum : exclusiveMaximum),
  };
}

const LOWER_BOUNDS = new Set(["minimum", "minLength", "minItems", "minProperties"]);
const UPPER_BOUNDS = new Set(["maximum", "maxLength", "maxItems", "maxProperties"]);

function merge(one: Schema, other: Schema): Schema {
  const merged: Schema = { ...one, ...other };
  for (const keyword of Object.keys(other)) {
    if (Object.hasOwn(one, keyword)) merged[keyword] = mergeKeyword(keyword, one[keyword], other[keyword]);
  }
  return merged;
}

/**
 * Merges the values of one keyword in two schemas that both apply. The later value wins if no single value expresses
 * both.
 */
function mergeKeyword(keyword: string, one: unknown, other: unknown): unknown {
  if (LOWER_BOUNDS.has(keyword)) return Math.max(Number(one), Number(other));
  if (UPPER_BOUNDS.has(keyword)) return Math.min(Number(one), Number(other));
  if (keyword === "required") return [...new Set([one, other].flat())];
  if (keyword === "type" || keyword === "enum") {
    const allowed = new Set([other].flat());
    return [one].flat().filter((value) => allowed.has(value));
  }
  if (keyword === "properties") return mergeProperties(one as Record<string, Schema>, other as Record<string, Schema>);
  if (keyword === "additionalProperties") return one === false ? false : other;
  if (keyword === "items" && isRecord(one) && isRecord(other)) return { allOf: [one, other] };
  return keyword === "example" && isRecord(one) && isRecord(other) ? { ...one, ...other } : other;
}

function mergeProperties(one: Record<string, Schema>, other: Record<string, Schema>): Record<string, Schema> {
  const shared = Object.keys(other).filter((name) => Object.hasOwn(one, name));
  return { ...one, ...other, ...Object.fromEntries(shared.map((name) => [name, { allOf: [one[name], other[name]] }])) };
}

/** Returns whether a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Returns whether the fields of an object can be arguments of an operation beside its parameters: the schema is closed, declares
 * all of them itself, and none has the name of a parameter.
 */
export function areArguments(schema: Schema, parameters: string[]): boolean {
  const { type, properties = {}, additionalProperties } = schema;
  return (
    type === "object" &&
    additionalProperties === false &&
    !["allOf", "oneOf", "anyOf"].some((keyword) => keyword in schema) &&
    !Object.keys(properties as object).some((name) => parameters.includes(name))
  );
}
