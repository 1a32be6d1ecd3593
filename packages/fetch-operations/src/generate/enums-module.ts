import { effectiveSchema, type OpenApiDocument, propertiesOf, type Schema, valuesOf } from "openapi-document";
import type { ContractShapes } from "../contract/shapes.ts";
import { codeOf } from "./code.ts";
import { typeNameOf } from "./names-module.ts";

/**
 * Returns the module with an object and a type for each named schema that lists its values, and for each property of a named
 * schema that lists them in place: `PetStatus` for `status` of `Pet`. `types` are the names of the schemas' types. A property is
 * left out if its name is that of a schema or of another property.
 */
export function enumsModule(
  document: OpenApiDocument,
  types: ReadonlyMap<string, string>,
  shapes: ContractShapes,
): string {
  const { schemas = {} } = (document.components ?? {}) as { schemas?: Record<string, Schema> };
  const named = Object.entries(schemas).map(([name, schema]) => [types.get(name)!, schema] as const);
  const taken = new Set(types.values());
  const repeated = new Set<string>();
  const nested = named.flatMap(([type, schema]) =>
    inlineProperties(schema).map(([property, own]) => {
      const name = typeNameOf(`${type} ${property}`);
      if (taken.has(name)) repeated.add(name);
      taken.add(name);
      return [name, own] as const;
    }),
  );
  const enums = [...named, ...nested.filter(([name]) => !repeated.has(name))].flatMap(([name, schema]) => {
    // `int64` and `dates` turn these values into others.
    const values = shapes.of(schema) === undefined ? enumOf(document, schema) : undefined;
    if (values === undefined) return [];
    const code = `export const ${name} = ${codeOf(values)} as const;\n`;
    return `${code}export type ${name} = (typeof ${name})[keyof typeof ${name}];\n`;
  });
  return enums.length === 0 ? "export {};\n" : `\n${enums.join("\n")}`;
}

/** Returns the properties that a schema and the parts of its `allOf` declare in place, those of arrays as their items. */
function inlineProperties(schema: Schema): [name: string, schema: Schema][] {
  const parts = [schema, ...((schema["allOf"] ?? []) as Schema[])].filter(({ $ref }) => $ref === undefined);
  const properties = parts.flatMap((part) => Object.entries(propertiesOf(part)));
  return properties
    .map(([name, own]): [string, Schema] => [name, own.items ?? own])
    .filter(([, { $ref, ...own }]) => $ref === undefined && (valuesOf(own) ?? own["oneOf"]) !== undefined);
}

/**
 * Returns the strings and numbers of `enum`, or of the `const`s of `oneOf`, by their keys: `x-enum-varnames` or `x-enumNames`,
 * or else the values themselves. Undefined for a schema that has other values than these and null, or two with the same key.
 */
function enumOf(document: OpenApiDocument, node: Schema): Record<string, unknown> | undefined {
  const schema = effectiveSchema(document, node);
  const members = (schema["oneOf"] ?? []) as Schema[];
  const values = valuesOf(schema) ?? members.flatMap((member) => valuesOf(effectiveSchema(document, member)) ?? [{}]);
  const listed = values.filter((value) => value !== null);
  if (listed.length === 0 || !listed.every(isExact)) return undefined;
  const given: unknown = schema["x-enum-varnames"] ?? schema["x-enumNames"];
  const isWhole = Array.isArray(given) && given.length === values.length && new Set(given).size === given.length;
  const isNamed = isWhole && values.every((value, index) => value === null || typeof given[index] === "string");
  const keyed = values.map((value, index) => [isNamed ? String(given[index]) : String(value), value] as const);
  const named = Object.fromEntries(keyed.filter(([, value]) => value !== null));
  return Object.keys(named).length < new Set(listed).size ? undefined : named;
}

/** Whether a value is a string, or a number that JavaScript has not rounded. */
function isExact(value: unknown): boolean {
  return typeof value === "string" || (typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER);
}
