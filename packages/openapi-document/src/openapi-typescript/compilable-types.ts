import { withDirections } from "../schema/directions.ts";
import { writeDiscriminatorValues } from "./discriminator-values.ts";
import type { OpenApiDocument, Schema } from "../objects.ts";
import { operationsOf } from "../operations.ts";
import { resolve } from "../references.ts";
import { withInheritance } from "../schema/inheritance.ts";
import { nameOf } from "../schema/discriminator.ts";
import { isRecord, propertiesOf } from "../schema/effective-schema.ts";
import { forEachKeywordObject } from "./keyword-objects.ts";
import { nameNestedSchemas } from "./nested-references.ts";

/** Keywords whose schemas are written in place, as parts of a union, an intersection or an array. */
const IN_PLACE = ["oneOf", "anyOf", "allOf", "items"];

/** An array of a component, as openapi-typescript writes it. */
const ARRAY = /components\["schemas"\]\[("(?:[^"\\]|\\.)*")\]\[\]/g;

/** Keywords by which an object without `properties` has fields or a type of its own. */
const MEMBERS = [
  ...IN_PLACE,
  "additionalProperties",
  "patternProperties",
  "unevaluatedProperties",
  "discriminator",
  "enum",
];

const LITERAL = /"(?:[^"\\\n]|\\.)*"/g;
const ESCAPE = /\\(?:u([\dA-F]{4})|x([\dA-F]{2})|(.))/gi;
const ESCAPED: Record<string, string> = { 0: "\0", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

/** The type for fields that a schema requires of another one, as openapi-typescript writes it. */
const WITH_REQUIRED = /^type WithRequired<.*?^\};$/ms;

/**
 * The same for a union, whose members may lack the fields: `null` is such a member where the other schema is nullable
 * (TS2344).
 */
const DISTRIBUTED = `type WithRequired<T, K extends PropertyKey> = T extends unknown ? T & Required<Pick<T, K & keyof T>> : never;`;

/**
 * Returns a copy of a document for openapi-typescript. Children inherit from a parent that lists them, nested schemas have
 * names, discriminators of numbers and booleans are values, requests and responses differ as by `withDirections`, and no `allOf`
 * has an object without fields.
 */
export function documentForTypes<Document extends OpenApiDocument>(document: Document): Document {
  const copy = structuredClone(withInheritance(document)) as Document;
  nameNestedSchemas(copy);
  writeDiscriminatorValues(copy);
  const typed = withDirections(copy);
  removeEmptyParts(typed);
  return typed;
}

/**
 * Removes the objects without fields from each `allOf`, in place: those whose fields only the other direction has.
 * openapi-typescript writes them as objects that have no field, which excludes the fields of the other parts.
 */
function removeEmptyParts(document: OpenApiDocument): void {
  const { schemas = {} } = (document.components ?? {}) as { schemas?: Record<string, unknown> };
  const isEmpty = (part: Schema): boolean => {
    const schema = typeof part.$ref === "string" ? schemas[nameOf(part.$ref)] : part;
    if (!isRecord(schema) || schema["type"] !== "object") return false;
    return Object.keys(propertiesOf(schema)).length === 0 && !MEMBERS.some((keyword) => keyword in schema);
  };
  forEachKeywordObject(document, (node) => {
    const { type = "object", allOf } = node;
    if (!Array.isArray(allOf) || !(allOf as Schema[]).some(isEmpty)) return;
    Object.assign(node, { type, allOf: (allOf as Schema[]).filter((part) => !isEmpty(part)) });
  });
}

/** Returns the types that openapi-typescript has written, with its errors mended: names and types that do not compile. */
export function compilableTypes(types: string, document: OpenApiDocument): string {
  return withRecursiveArrays(withNumberSigns(types.replace(WITH_REQUIRED, DISTRIBUTED), document), document);
}

/** Writes the operationIds that contain `#` as in the document: openapi-typescript writes `/` in its place. */
function withNumberSigns(types: string, document: OpenApiDocument): string {
  const ids = operationsOf(document).flatMap(({ id }) => (id.includes("#") ? id : []));
  const written = new Map(ids.map((id) => [id.replaceAll("#", "/"), id]));
  if (written.size === 0) return types;
  return types.replaceAll(LITERAL, (literal) => {
    const id = written.get(textOf(literal));
    return id === undefined ? literal : JSON.stringify(id);
  });
}

/** Returns the text of a string literal. The compiler prints escapes that JSON does not have. */
function textOf(literal: string): string {
  return literal
    .slice(1, -1)
    .replaceAll(ESCAPE, (_, long?: string, short?: string, character = "") =>
      long === undefined && short === undefined
        ? (ESCAPED[character] ?? character)
        : String.fromCharCode(Number.parseInt((long ?? short)!, 16)),
    );
}

/**
 * Returns types with an interface for each array of a schema that consists of itself, such as that of any JSON value. The array
 * type in its place would be circular (TS2502), and an interface is resolved when it is used.
 */
function withRecursiveArrays(types: string, document: OpenApiDocument): string {
  const { schemas = {} } = (document.components ?? {}) as { schemas?: Record<string, Schema> };
  const recursive = new Map<string, boolean>();
  const isRecursive = (name: string): boolean => {
    const known = recursive.get(name) ?? containsItself(document, schemas[name] ?? {});
    recursive.set(name, known);
    return known;
  };
  const text = types.replaceAll(ARRAY, (array, name: string) =>
    isRecursive(textOf(name)) ? `ArrayOf<${name}>` : array,
  );
  if (text === types) return types;
  return `${text}
/** An array of a schema that consists of itself. */
export interface ArrayOf<Name extends keyof components["schemas"]> extends Array<components["schemas"][Name]> {}
`;
}

/** Whether a schema leads back to itself without an object between. */
function containsItself(document: OpenApiDocument, schema: Schema): boolean {
  const reached = new Set<unknown>();
  const visitParts = (whole: Schema): void => {
    for (const part of IN_PLACE.flatMap((keyword) => whole[keyword] ?? [])) {
      if (typeof part !== "object" || part === null) continue;
      const target = resolve<Schema>(document, part as Schema);
      if (reached.has(target)) continue;
      reached.add(target);
      visitParts(target);
    }
  };
  const own = resolve<Schema>(document, schema);
  visitParts(own);
  return reached.has(own);
}
