import { isDeepStrictEqual } from "node:util";
import {
  effectiveSchema,
  IS_MAP,
  isAnnotation,
  type OpenApiDocument,
  partsOf,
  pointer,
  propertiesOf,
  type Schema,
  valuesOf,
} from "openapi-document";
import { keywordsOf, type SchemaNode } from "./alternatives.ts";
import { effect, type Pair, type SchemaChange, type Scope } from "./changes.ts";

/**
 * Keywords whose meaning depends on others in the same schema object (JSON Schema 2020-12, Core, sections 10.2.2, 10.3 and
 * 11). If `allOf` groups them differently, other values are valid.
 */
const COUPLED = [
  ["if", "then", "else"],
  ["contains", "minContains", "maxContains"],
  ["prefixItems", "items", "unevaluatedItems"],
  ["additionalProperties", "unevaluatedProperties", "patternProperties"],
] as const;

/** Returns changes that a comparison keyword by keyword misses. They count as breaking. */
export function combinationChanges(scope: Scope, schemas: Pair<SchemaNode>): SchemaChange[] {
  return [...groupingChanges(scope, schemas), ...oneOfChanges(scope, schemas)];
}

type Side = keyof Pair<unknown>;

function groupingChanges(scope: Scope, schemas: Pair<SchemaNode>): SchemaChange[] {
  const { documents } = scope;
  const before = objectsOf(documents.before, schemas.before);
  const after = objectsOf(documents.after, schemas.after);
  if (before.length <= 1 && after.length <= 1) return [];
  const later = new Set(after.flatMap(namesOf));
  const shared = new Set(before.flatMap((object) => namesOf(object).filter((name) => later.has(name))));
  const isSame = COUPLED.every((keywords) =>
    isDeepStrictEqual(
      groupsOf(documents.before, before, keywords, shared),
      groupsOf(documents.after, after, keywords, shared),
    ),
  );
  if (isSame) return [];
  return [effect(scope, "replaces", "`allOf` groups keywords differently", "allOf")];
}

/** The schema objects that apply at once, without those that only refer to others, annotate, or name a type. */
function objectsOf(document: OpenApiDocument, schema: SchemaNode): Schema[] {
  const isEmpty = (key: string) => isAnnotation(key) || ["$ref", "allOf", "type"].includes(key);
  return partsOf(document, schema).filter((object) => !Object.keys(object).every(isEmpty));
}

function namesOf(schema: Schema): string[] {
  return Object.keys(propertiesOf(schema));
}

/** Each group of the keywords as a string, with the names of fields beside it that both documents have. */
function groupsOf(
  document: OpenApiDocument,
  objects: Schema[],
  keywords: readonly string[],
  shared: Set<string>,
): Set<string> {
  const groups = objects
    .filter((own) => keywords.some((keyword) => own[keyword] !== undefined && own[keyword] !== true))
    .map((own) => {
      const known = own["unevaluatedProperties"] === undefined ? [own] : partsOf(document, own); // it sees those of `allOf`
      const names = new Set(known.flatMap(namesOf).filter((name) => shared.has(name)));
      const beside = keywords.includes("additionalProperties") ? [...names].toSorted() : [];
      return JSON.stringify([beside, ...keywords.map((keyword) => own[keyword] ?? null)]);
    });
  return new Set(groups);
}

/** A value that matches two members of a `oneOf` is invalid, so a wider member may narrow the `oneOf`. */
function oneOfChanges(scope: Scope, schemas: Pair<SchemaNode>): SchemaChange[] {
  const { documents } = scope;
  const lists = (side: Side) =>
    objectsOf(documents[side], schemas[side]).flatMap(({ oneOf }) =>
      Array.isArray(oneOf) ? [oneOf as SchemaNode[]] : [],
    );
  const areExclusive = (side: Side) => lists(side).every((members) => excludeEachOther(documents[side], members));
  const meanings = (side: Side) =>
    new Set(lists(side).map((members) => members.map((member) => meaningOf(documents[side], member)).toSorted()));
  if (areExclusive("before") && areExclusive("after")) return [];
  if (isDeepStrictEqual(meanings("before"), meanings("after"))) return [];
  return [effect(scope, "replaces", "a `oneOf` with overlapping members changes", "oneOf")];
}

/** Whether no value is valid for two of the schemas, because their types or the values of a required field differ. */
function excludeEachOther(document: OpenApiDocument, members: SchemaNode[]): boolean {
  const parts = members.map((member) => objectsOf(document, member));
  const types = members.map((member) => typesOf(document, member));
  if (types.every((own) => own.length > 0) && areDisjoint(types)) return true;
  const [first = []] = parts;
  return first.flatMap(namesOf).some((name) => {
    const tags = parts.map((own) => tagsOf(document, own, name));
    const areObjects = types.every((own) => own.length > 0 && own.every((type) => type === "object"));
    return areObjects && tags.every((own) => own.length > 0) && areDisjoint(tags);
  });
}

/** The types that a schema names, with `integer` as `number`; empty if it names none. */
function typesOf(document: OpenApiDocument, schema: SchemaNode): string[] {
  const { type: lists = [] } = keywordsOf(document, schema);
  const types = lists.flatMap((list) => [list as string | string[]].flat());
  return types.map((type) => (type === "integer" ? "number" : type));
}

/** The values of a required field as JSON; empty if the field is optional or may have any value. */
function tagsOf(document: OpenApiDocument, parts: Schema[], name: string): string[] {
  const isRequired = parts.some(({ required }) => Array.isArray(required) && required.includes(name));
  const values = parts.flatMap((part) => valuesOf(effectiveSchema(document, propertiesOf(part)[name])) ?? []);
  return isRequired ? values.map((value) => JSON.stringify(value)) : [];
}

function areDisjoint(lists: string[][]): boolean {
  const all = lists.flatMap((list) => [...new Set(list)]);
  return new Set(all).size === all.length;
}

/** A schema and its references as a string, without annotations. */
export function meaningOf(document: OpenApiDocument, root: unknown): string {
  const visited = new Map<string, string>();
  const text = (value: unknown, isMap = false): string => {
    if (Array.isArray(value)) return `[${value.map((item) => text(item)).join()}]`;
    if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "";
    const { $ref } = value as Schema;
    if (!isMap && typeof $ref === "string" && !visited.has($ref)) {
      visited.set($ref, "");
      visited.set($ref, text(pointer(document, $ref)));
    }
    const entries = Object.entries(value).filter(([key]) => isMap || !isAnnotation(key));
    const fields = entries.map(([key, child]) => `${JSON.stringify(key)}:${text(child, !isMap && IS_MAP.has(key))}`);
    return `{${fields.toSorted().join()}}`;
  };
  return [text(root), ...[...visited].map((entry) => entry.join("=")).toSorted()].join("\n");
}
