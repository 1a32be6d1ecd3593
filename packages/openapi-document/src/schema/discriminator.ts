import type { OpenApiDocument, Schema } from "../objects.ts";
import { escapeKey, unescapeKey } from "../references.ts";

/** https://spec.openapis.org/oas/v3.2.0#discriminator-object */
export interface Discriminator {
  propertyName?: string;
  mapping?: Record<string, string>;
  /** The schema of values without the property, or with a value of no other schema. */
  defaultMapping?: string;
}

/** Returns whether a mapping names a schema, by its reference or by its name. */
export function isTarget(ref: string | undefined, target: string | undefined): boolean {
  return ref !== undefined && (target === ref || target === nameOf(ref));
}

/**
 * Returns the values of a discriminator with the references to their schemas: the entries of its mapping, and the names of the
 * members of its choice and of `others` that the mapping leaves out.
 */
export function choicesOf(
  document: OpenApiDocument,
  { discriminator, oneOf, anyOf }: Schema,
  others: string[] = [],
): [value: string, ref: string][] {
  const { schemas = {} } = (document.components ?? {}) as { schemas?: object };
  const members = ([oneOf ?? [], anyOf ?? []].flat() as Schema[]).flatMap(({ $ref }) => $ref ?? []);
  const mapped = Object.entries((discriminator as Discriminator).mapping ?? {}).map(
    ([value, target]): [string, string] => [value, Object.hasOwn(schemas, target) ? refTo(target) : target],
  );
  const known = new Set(mapped.map(([, ref]) => ref));
  const unmapped = new Set([...members, ...others].filter((ref) => !known.has(ref)));
  return [...mapped, ...Array.from(unmapped, (ref): [string, string] => [nameOf(ref), ref])];
}

/** Returns the reference to a component schema. */
export function refTo(name: string): string {
  return `#/components/schemas/${escapeKey(name)}`;
}

/** Returns the name of the schema that a reference leads to. */
export function nameOf(ref: string): string {
  return unescapeKey(decodeURIComponent(ref.split(/[/#]/).at(-1)!));
}
