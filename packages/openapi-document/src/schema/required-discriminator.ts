import { type Discriminator, isTarget, nameOf } from "./discriminator.ts";
import type { OpenApiDocument, Schema } from "../objects.ts";
import { listedValuesOf, nonNullTypesOf, typeOf } from "./effective-schema.ts";
import { shapesOf } from "./shape.ts";

/**
 * Returns a schema without its discriminator, as JSON Schema that says what the discriminator means: each member of the
 * choice requires its own values of the property (OpenAPI 3.1, "Discriminator Object").
 */
export function requireDiscriminator(document: OpenApiDocument, schema: Schema): Schema {
  const { discriminator, ...rewritten } = schema as Schema & { discriminator?: Discriminator };
  if (discriminator?.propertyName === undefined) return rewritten; // older documents write the name alone
  const { propertyName: name, defaultMapping } = discriminator;
  for (const keyword of ["oneOf", "anyOf"]) {
    const members = schema[keyword] as Schema[] | undefined;
    if (!Array.isArray(members)) continue;
    const choices = members.map((member) => ({ member, values: valuesFor(document, member, discriminator) }));
    rewritten[keyword] = choices.map(({ member, values }) => {
      if (!isTarget(member.$ref, defaultMapping))
        return values.length === 0 ? member : { allOf: [hasValue(name, values), member] };
      const others = choices.flatMap((choice) => (choice.member.$ref === member.$ref ? [] : choice.values));
      return { allOf: [{ not: hasValue(name, others) }, member] };
    });
  }
  return rewritten;
}

function hasValue(name: string, values: unknown[]): Schema {
  return { type: "object", required: [name], properties: { [name]: { enum: values } } };
}

/**
 * Returns the values that choose a member: those of the mapping, else the name of the schema. Keys and names are strings, so
 * they stand for the values of other types that the property allows. A property that lists other values than the name, and has
 * no mapping, chooses by its own values.
 */
export function valuesFor(
  document: OpenApiDocument,
  member: Schema,
  { propertyName, mapping }: Discriminator,
): unknown[] {
  const { $ref } = member;
  if ($ref === undefined) return [];
  const property = shapesOf(document)({ schemas: [member] }).fields.get(propertyName!)?.schemas ?? [];
  const listed = property.flatMap((schema) => listedValuesOf(document, schema));
  const types = new Set(property.flatMap((schema) => [...nonNullTypesOf(document, schema)]));
  const isAllowed = (value: unknown): boolean => {
    if (listed.length > 0) return listed.includes(value);
    return types.has(typeOf(value)) || types.has(typeof value) || (types.size === 0 && typeof value === "string");
  };
  const mapped = Object.entries(mapping ?? {}).flatMap(([key, target]) => (isTarget($ref, target) ? key : []));
  const keys = mapped.length > 0 ? mapped : [nameOf($ref)];
  const values = keys.flatMap(valuesOfKey).filter(isAllowed);
  if (values.length > 0) return values;
  return mapped.length > 0 || listed.length === 0 ? keys : listed;
}

/** The words of JSON, and those of Python, which its libraries write. */
const WORDS = new Map<string, unknown>([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["null", null],
  ["None", null],
]);

/** Returns the values that a key of a mapping may stand for. */
function valuesOfKey(key: string): unknown[] {
  if (/^-?\d+(?:\.\d+)?$/.test(key)) return [key, Number(key)];
  return WORDS.has(key) ? [key, WORDS.get(key)] : [key];
}
