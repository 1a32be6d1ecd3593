import { pointer, type Schema, isAnnotation, IS_MAP } from "openapi-document";
import { keywordsOf, type SchemaNode } from "./alternatives.ts";
import { type Documents, type Pair } from "./documents.ts";
import { effect, type SchemaChange, type Scope } from "./scope.ts";

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
  const { documents } = scope;
  return [...groupingChanges(scope, schemas, documents), ...oneOfChanges(scope, schemas, documents)];
}

function groupingChanges(scope: Scope, schemas: Pair<SchemaNode>, documents: Documents): SchemaChange[] {
  const before = partsOf(documents.before, schemas.before);
  const after = partsOf(documents.after, schemas.after);
  if (before.length <= 1 && after.length <= 1) return [];
  const later = new Set(after.flatMap(({ names }) => names));
  const shared = new Set(before.flatMap(({ names }) => names).filter((name) => later.has(name)));
  return COUPLED.some((keywords) => groupsOf(before, keywords, shared) !== groupsOf(after, keywords, shared))
    ? [effect(scope, "replaces", "`allOf` groups keywords differently", "allOf")]
    : [];
}

/** A schema object, with the names of its own fields, and with those of the schemas that it combines too. */
interface Part {
  own: Schema;
  names: string[];
  combined: string[];
}

/** The schema objects that apply at once. */
function partsOf(document: Documents["before"], schema: SchemaNode, above: readonly string[] = []): Part[] {
  if (typeof schema === "boolean") return [];
  const { $ref, allOf = [], ...own } = schema as Schema & { allOf?: SchemaNode[] };
  if ($ref !== undefined && above.includes($ref)) return [];
  const seen = $ref === undefined ? above : [...above, $ref];
  const target = $ref === undefined ? [] : [pointer(document, $ref) as SchemaNode];
  const others = [...target, ...allOf].flatMap((member) => partsOf(document, member, seen));
  if (Object.keys(own).every((key) => isAnnotation(key) || key === "type")) return others;
  const names = Object.keys((own as Schema)["properties"] ?? {});
  return [...others, { own, names, combined: [...names, ...others.flatMap((part) => part.names)] }];
}

/** Each group of the keywords as a string, with the names of fields beside it that both documents have. */
function groupsOf(parts: Part[], keywords: readonly string[], shared: Set<string>): string {
  const groups = parts
    .filter(({ own }) => keywords.some((keyword) => own[keyword] !== undefined && own[keyword] !== true))
    .map(({ own, names, combined }) => {
      const known = own["unevaluatedProperties"] === undefined ? names : combined;
      const beside = keywords.includes("additionalProperties") ? known.filter((name) => shared.has(name)) : [];
      return JSON.stringify([beside.toSorted(), ...keywords.map((keyword) => own[keyword] ?? null)]);
    });
  return [...new Set(groups)].toSorted().join("\n");
}

/** A value that matches two members of a `oneOf` is invalid, so a wider member may narrow the `oneOf`. */
function oneOfChanges(scope: Scope, { before, after }: Pair<SchemaNode>, documents: Documents): SchemaChange[] {
  const [had, has] = [oneOfsIn(documents.before, before), oneOfsIn(documents.after, after)];
  const areExclusive =
    had.every((members) => excludeEachOther(documents.before, members)) &&
    has.every((members) => excludeEachOther(documents.after, members));
  const meanings = (document: Documents["before"], lists: SchemaNode[][]) =>
    lists
      .map((members) =>
        members
          .map((member) => meaningOf(document, member))
          .toSorted()
          .join(),
      )
      .toSorted()
      .join("\n");
  if (areExclusive || meanings(documents.before, had) === meanings(documents.after, has)) return [];
  return [effect(scope, "replaces", "a `oneOf` with overlapping members changes", "oneOf")];
}

function oneOfsIn(document: Documents["before"], schema: SchemaNode): SchemaNode[][] {
  return partsOf(document, schema).flatMap(({ own: { oneOf } }) =>
    Array.isArray(oneOf) ? [oneOf as SchemaNode[]] : [],
  );
}

/** Whether no value is valid for two of the schemas, because their types or the values of a required field differ. */
function excludeEachOther(document: Documents["before"], members: SchemaNode[]): boolean {
  const parts = members.map((member) => partsOf(document, member).map(({ own }) => own));
  const types = members.map((member) => typesOf(document, member));
  if (types.every((own) => own.length > 0) && areDisjoint(types)) return true;
  const [first = []] = parts;
  const names = first.flatMap(({ properties = {} }) => Object.keys(properties as object));
  return names.some((name) => {
    const tags = parts.map((own) => tagsOf(own, name));
    const areObjects = types.every((own) => own.length > 0 && own.every((type) => type === "object"));
    return areObjects && tags.every((own) => own.length > 0) && areDisjoint(tags);
  });
}

/** The types that a schema names, with `integer` as `number`; empty if it names none. */
function typesOf(document: Documents["before"], schema: SchemaNode): string[] {
  const { type: lists = [] } = keywordsOf(document, schema);
  const types = lists.flatMap((list) => [list as string | string[]].flat());
  return types.map((type) => (type === "integer" ? "number" : type));
}

/** The values of a required field as JSON; empty if the field is optional or may have any value. */
function tagsOf(parts: Schema[], name: string): string[] {
  const isRequired = parts.some(({ required }) => Array.isArray(required) && required.includes(name));
  const fields = parts.map(({ properties }) => (properties as Record<string, Schema> | undefined)?.[name]);
  const lists = fields.flatMap((field) =>
    field?.["const"] === undefined ? (field?.["enum"] ?? []) : [field["const"]],
  );
  return isRequired ? (lists as unknown[]).map((value) => JSON.stringify(value)) : [];
}

function areDisjoint(lists: string[][]): boolean {
  const all = lists.flatMap((list) => [...new Set(list)]);
  return new Set(all).size === all.length;
}

/** A schema and its references as a string, without annotations. */
export function meaningOf(document: Documents["before"], root: unknown): string {
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
