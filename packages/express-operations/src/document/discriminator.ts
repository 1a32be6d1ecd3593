import { type OpenApiDocument, type Schema, unescapeKey } from "./document.ts";

/** https://spec.openapis.org/oas/v3.2.0#discriminator-object */
interface Discriminator {
  propertyName?: string;
  mapping?: Record<string, string>;
  /** The schema of values without the property, or with a value of no other schema. */
  defaultMapping?: string;
}

/**
 * Returns a schema without its discriminator, as JSON Schema that says what the discriminator means: each member of the
 * choice requires its own values of the property (OpenAPI 3.1, "Discriminator Object").
 */
export function requireDiscriminator(schema: Schema): Schema {
  const { discriminator, ...rewritten } = schema as Schema & { discriminator?: Discriminator };
  if (discriminator?.propertyName === undefined) return rewritten; // older documents write the name alone
  const { propertyName: name, defaultMapping } = discriminator;
  for (const keyword of ["oneOf", "anyOf"]) {
    const members = schema[keyword] as Schema[] | undefined;
    if (members === undefined) continue;
    const choices = members.map((member) => ({ member, values: valuesFor(member, discriminator) }));
    rewritten[keyword] = choices.map(({ member, values }) => {
      if (isTarget(member.$ref, defaultMapping)) {
        const others = choices.filter((choice) => choice.member.$ref !== member.$ref);
        return {
          allOf: [
            {
              not: hasValue(
                name,
                others.flatMap((choice) => choice.values),
              ),
            },
            member,
          ],
        };
      }
      return values.length === 0 ? member : { allOf: [hasValue(name, values), member] };
    });
  }
  return rewritten;
}

function hasValue(name: string, values: unknown[]): Schema {
  return { type: "object", required: [name], properties: { [name]: { enum: values } } };
}

/** Returns the values that choose a member: those of the mapping, else the name of the schema. */
function valuesFor({ $ref }: Schema, { mapping }: Discriminator): unknown[] {
  if ($ref === undefined) return [];
  const mapped = Object.entries(mapping ?? {}).flatMap(([key, target]) => (isTarget($ref, target) ? key : []));
  return mapped.length > 0 ? mapped : [nameOf($ref)];
}

/** Returns whether a mapping names a schema, by its reference or by its name. */
function isTarget(ref: string | undefined, target: string | undefined): boolean {
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
  return `#/components/schemas/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Returns the name of the schema that a reference leads to. */
export function nameOf(ref: string): string {
  return unescapeKey(decodeURIComponent(ref.split(/[/#]/).at(-1)!));
}
