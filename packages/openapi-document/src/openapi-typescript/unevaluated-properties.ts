import type { OpenApiDocument, Schema } from "../objects.ts";
import { propertiesOf } from "../schema/effective-schema.ts";
import { schemasInPlace } from "../schema/schema-walk.ts";
import { forEachKeywordObject } from "./keyword-objects.ts";

/** Keywords whose schemas openapi-typescript does not read. */
const CONDITIONAL = new Set(["if", "then", "else", "dependentSchemas"]);

/** The fields of a schema and of those that apply to the same value. */
interface Fields {
  all: Schema[];
  /** The fields that only a condition names, by name. */
  conditional: Map<string, Schema>;
}

/**
 * Describes the fields that `unevaluatedProperties` allows by `additionalProperties`, in place, because openapi-typescript does
 * not read it. Their type includes those of the other fields, which an index signature covers too. Fields of conditions are
 * optional fields of the schema.
 */
export function describeUnevaluatedProperties(document: OpenApiDocument): void {
  forEachKeywordObject(document, (node) => {
    if ("unevaluatedProperties" in node) describe(document, node);
  });
}

function describe(document: OpenApiDocument, schema: Schema): void {
  const { $ref, unevaluatedProperties, additionalProperties } = schema;
  if (additionalProperties !== undefined) return; // evaluates every field
  const { all, conditional } = fieldsOf(document, schema);
  if (conditional.size > 0) schema["properties"] = { ...Object.fromEntries(conditional), ...propertiesOf(schema) };
  if (unevaluatedProperties !== false) schema["additionalProperties"] = covering(unevaluatedProperties as Schema, all);
  if ($ref === undefined || (conditional.size === 0 && unevaluatedProperties === false)) return;
  delete schema.$ref; // openapi-typescript reads nothing beside a reference
  schema["allOf"] = [{ $ref }, ...((schema["allOf"] ?? []) as Schema[])];
}

function fieldsOf(document: OpenApiDocument, schema: Schema): Fields {
  const all: Schema[] = [];
  const named = new Set<string>();
  const conditional = new Map<string, Schema>();
  const seen = new Set<Schema>();
  const visit = (part: Schema, isConditional: boolean): void => {
    if (seen.has(part)) return;
    seen.add(part);
    for (const [name, field] of Object.entries(propertiesOf(part)) as [string, Schema | boolean][]) {
      if (field === false) continue;
      const own = field === true ? {} : field;
      all.push(own);
      if (isConditional) conditional.set(name, conditional.has(name) ? { anyOf: [conditional.get(name)!, own] } : own);
      else named.add(name);
    }
    for (const { keyword, schema: below } of schemasInPlace(document, part))
      if (keyword !== "not") visit(below, isConditional || CONDITIONAL.has(keyword));
  };
  visit(schema, false);
  for (const name of named) conditional.delete(name);
  return { all, conditional };
}

/** Returns a schema that covers the values of one schema and of fields. */
function covering(schema: Schema | boolean, fields: Schema[]): Schema | boolean {
  if (typeof schema !== "object" || Object.keys(schema).length === 0) return schema;
  const others = new Map(fields.map(withoutConstraints).map((field) => [JSON.stringify(field), field]));
  others.delete(JSON.stringify(withoutConstraints(schema)));
  return others.size === 0 ? schema : { anyOf: [schema, ...others.values()] };
}

/** Returns a schema of the same type. Scalars lose their description and bounds, so that each type is there once. */
function withoutConstraints(schema: Schema): Schema {
  const { type, format, nullable } = schema;
  const isScalar = type !== undefined && ![type].flat().some((each) => each === "object" || each === "array");
  if (!isScalar) return schema;
  return { type, ...(format !== undefined && { format }), ...(nullable !== undefined && { nullable }) };
}
