import type { OpenApiDocument, Schema } from "../objects.ts";
import type { Discriminator } from "../schema/discriminator.ts";
import { effectiveSchema, isRecord, partsOf } from "../schema/effective-schema.ts";
import { requireDiscriminator, valuesFor } from "../schema/required-discriminator.ts";

/** Members of a longer choice are not compared with each other. */
const MANY_MEMBERS = 100;

/** Returns the alternatives of each choice in a part of a schema. Alternatives that lead back to a value around this one come last. */
export function choicesIn(
  document: OpenApiDocument,
  part: Schema,
  whole: Schema,
  isCircular: (member: Schema) => boolean,
): Schema[][] {
  const required = isRecord(part["discriminator"]) ? requireDiscriminator(document, part) : part;
  const choices = (["oneOf", "anyOf"] as const).flatMap((keyword) => {
    const members = required[keyword] as Schema[];
    if (!Array.isArray(members) || members.length === 0) return [];
    const alternatives = keyword === "anyOf" ? members : members.map((member) => alone(document, member, members));
    return [[...alternatives.filter((each) => !isCircular(each)), ...alternatives.filter(isCircular)]];
  });
  const names = new Set([whole["required"] ?? []].flat());
  const dependent = Object.entries((part["dependentSchemas"] ?? {}) as Record<string, Schema>).map(([name, schema]) => {
    const withName = { allOf: [schema, { required: [name] }] };
    return names.has(name) ? [withName] : [withName, without(name)];
  });
  return [...choices, ...dependent];
}

/** Returns a member of `oneOf` without what only others require. */
function alone(document: OpenApiDocument, member: Schema, members: Schema[]): Schema {
  const others = members.length > MANY_MEMBERS ? [] : members.filter((other) => other !== member);
  const required = others.flatMap((other) => (effectiveSchema(document, other)["required"] ?? []) as string[]);
  const own = new Set([effectiveSchema(document, member)["required"] ?? []].flat());
  const foreign = [...new Set(required)].filter((name) => !own.has(name)).map(without);
  return foreign.length === 0 ? member : { allOf: [member, ...foreign] };
}

/** Returns a schema that is named by a reference with the value of the discriminator that it inherits. */
export function withDiscriminator(document: OpenApiDocument, node: Schema): Schema {
  if (typeof node !== "object" || node.$ref === undefined) return node;
  const parts = partsOf(document, node);
  const parent = parts.find(({ discriminator, oneOf, anyOf }) => isRecord(discriminator) && !oneOf && !anyOf);
  if (parent === undefined) return node;
  const discriminator = parent["discriminator"] as Discriminator;
  const mapped = Object.values(discriminator.mapping ?? {}).map((target) => schemaReference(target));
  const isMapped = mapped.length === 0 || mapped.includes(node.$ref);
  const child = isMapped ? undefined : mapped.find((target) => inherits(document, target, parent));
  const chosen = child === undefined ? node : { $ref: child };
  const values = discriminated(document, chosen, discriminator);
  return values.length === 0 ? chosen : { allOf: [chosen, ...values] };
}

function inherits(document: OpenApiDocument, reference: string, parent: Schema): boolean {
  try {
    return partsOf(document, { $ref: reference }).includes(parent);
  } catch {
    return false;
  }
}

/** Returns a schema that requires a value of the discriminator that chooses the member, if it has any. */
function discriminated(document: OpenApiDocument, member: Schema, discriminator: Discriminator): Schema[] {
  const { propertyName } = discriminator;
  if (propertyName === undefined) return [];
  const [value] = valuesFor(document, member, discriminator);
  return value === undefined ? [] : [{ required: [propertyName], properties: { [propertyName]: { const: value } } }];
}

/** Returns the branches of conditions: one of them applies, or none, or the combination that the bits of the digit say. */
export function branches(conditions: Schema[], digit: number): Schema[] {
  const bits = digit - conditions.length - 1;
  return conditions.flatMap((part, index) => {
    const applies = bits < 0 ? index === digit : (bits >> index) % 2 === 1;
    const branch = part[applies ? "then" : "else"] as Schema | undefined;
    return [...(applies ? [part["if"] as Schema] : []), ...(branch === undefined ? [] : [branch])];
  });
}

/** A schema of objects without a field. */
function without(name: string): Schema {
  return { not: { required: [name] } };
}

/** Returns the reference to the schema that a discriminator maps to: by reference, or by name. */
function schemaReference(target: string): string {
  return /^#|[/.]/.test(target) ? target : `#/components/schemas/${target}`;
}
