import type { OpenApiDocument, Schema } from "../objects.ts";
import { pointer } from "../references.ts";

/** Keywords with schemas, by the form of their value: one schema, an array, or a map. */
interface Keywords {
  one: string[];
  many: string[];
  named: string[];
}

/** Keywords whose schemas validate the same value (JSON Schema 2020-12, section 10.2), beside `$ref`. */
const IN_PLACE: Keywords = {
  one: ["not", "if", "then", "else"],
  many: ["allOf", "anyOf", "oneOf"],
  named: ["dependentSchemas"],
};

/** Keywords whose schemas validate a part of the value (JSON Schema 2020-12, sections 10.3 and 11). */
const OF_PARTS: Keywords = {
  one: ["items", "contains", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "propertyNames"],
  many: ["prefixItems"],
  named: ["properties", "patternProperties"],
};

/** Keywords whose value is a schema, or an array of schemas. */
export const HOLDS_SCHEMAS: ReadonlySet<string> = new Set(
  [IN_PLACE, OF_PARTS].flatMap(({ one, many }) => [...one, ...many]),
);

/** A subschema and its place in its parent. */
export interface Subschema {
  keyword: string;
  /** The property, the pattern, or the index in an array. */
  name: string;
  schema: Schema;
}

/** Returns the direct subschemas that validate the same value, including the target of `$ref`. */
export function schemasInPlace(document: OpenApiDocument, schema: Schema): Subschema[] {
  const { $ref } = schema;
  if ($ref === undefined) return subschemas(document, schema, IN_PLACE);
  const target = pointer(document, $ref) as Schema; // the target may have keywords beside a `$ref` of its own
  return [{ keyword: "$ref", name: "", schema: target }, ...subschemas(document, schema, IN_PLACE)];
}

/** Returns the direct subschemas that validate a part of the value. */
export function schemasOfParts(document: OpenApiDocument, schema: Schema): Subschema[] {
  return subschemas(document, schema, OF_PARTS);
}

/**
 * Yields a schema and all its subschemas, each once, with its path of keywords and properties, such as `/tags/items`.
 */
export function* schemasBelow(
  document: OpenApiDocument,
  schema: Schema,
  path: string,
  seen = new Set<Schema>(),
): Generator<[path: string, schema: Schema]> {
  if (seen.has(schema)) return;
  seen.add(schema);
  yield [path, schema];
  for (const below of [...schemasInPlace(document, schema), ...schemasOfParts(document, schema)]) {
    yield* schemasBelow(document, below.schema, path + stepTo(below), seen);
  }
}

function stepTo({ keyword, name }: Subschema): string {
  if (keyword === "$ref") return "";
  if (keyword === "properties") return `/${name}`;
  return name === "" ? `/${keyword}` : `/${keyword}/${name}`;
}

/** OpenAPI 3.0 ignores keywords beside a reference. */
function subschemas(document: OpenApiDocument, schema: Schema, { one, many, named }: Keywords): Subschema[] {
  if (schema.$ref !== undefined && document.openapi.startsWith("3.0.")) return [];
  const found = [
    ...one.map((keyword) => ({ keyword, name: "", node: schema[keyword] })),
    ...[...many, ...named].flatMap((keyword) =>
      Object.entries(schema[keyword] ?? {}).map(([name, node]) => ({ keyword, name, node: node as unknown })),
    ),
  ];
  return found.flatMap(({ keyword, name, node }) =>
    typeof node === "object" && node !== null ? [{ keyword, name, schema: node as Schema }] : [],
  );
}
