import { isAnnotation } from "express-operations/reading";
import { isDeepStrictEqual } from "node:util";
import type { Direction, Rating } from "./ratings.ts";
import {
  type Alternative,
  alternativesOf,
  type Keywords,
  keywordsOf,
  type SchemaNode,
  TooManyFormsError,
} from "./alternatives.ts";
import {
  assertionChanges,
  boundChanges,
  discriminatorChanges,
  typeEffect,
  unknownKeywordChanges,
  valueChanges,
} from "./assertions.ts";
import { type Documents, type Pair, type PartChange } from "./documents.ts";
import { compareItems, fieldChanges, otherFieldChanges } from "./fields.ts";
import { effect, placed, type SchemaChange, type Scope } from "./scope.ts";
import { meaningOf, uncertainChanges } from "./uncertain.ts";

/** What changes for values that travel in a direction. */
export function schemaChanges(documents: Documents, direction: Direction, schemas: Pair<SchemaNode>): SchemaChange[] {
  return compared(documents, direction, schemas, new Set());
}

/**
 * Compares what is behind the same references once, since schemas may contain themselves, and level by level, so that a
 * change is said of the shortest field. `same` are the pairs of schemas that are taken to mean the same until one does not.
 */
function compared(
  documents: Documents,
  direction: Direction,
  root: Pair<SchemaNode>,
  met: Set<string>,
  same?: Set<string>,
): SchemaChange[] {
  const steps: { scope: Scope; schemas: Pair<SchemaNode> }[] = [];
  const compare = (scope: Scope, schemas: Pair<SchemaNode>) => {
    const key = JSON.stringify([schemas.before, schemas.after]);
    if (met.has(key)) return;
    if (key.includes('"$ref"')) met.add(key);
    steps.push({ scope: { ...scope, node: schemas.after }, schemas });
  };
  const isSame = (schemas: Pair<SchemaNode>) => {
    const taken = new Set(same);
    return compared(documents, direction, schemas, taken, taken).every(({ impact }) => impact === "documentation");
  };
  compare({ documents, direction, field: "", node: root.after, compare, isSame }, root);
  const changes: SchemaChange[] = [];
  for (const { scope, schemas } of steps) changes.push(...changesOf(scope, schemas));
  return changes;
}

/** The rating of a deprecation, and of what belongs to it. */
export const DEPRECATION: Rating = {
  impact: "additive",
  because: "A deprecation is announced with a minor version (Semantic Versioning, item 7).",
};

/** What becomes of a `deprecated` flag, of whatever may have one. */
export function deprecationChanges(
  nodes: Pair<{ deprecated?: unknown }>,
  at: NonNullable<PartChange["at"]>,
): PartChange[] {
  const [was, is] = [nodes.before.deprecated === true, nodes.after.deprecated === true];
  if (was === is) return [];
  return is ? [{ ...DEPRECATION, what: "is deprecated", at }] : [{ ...DEPRECATION, what: "is no longer deprecated" }];
}

function changesOf(scope: Scope, schemas: Pair<SchemaNode>): SchemaChange[] {
  const { documents, field, node } = scope;
  const before = keywordsOf(documents.before, schemas.before);
  const after = keywordsOf(documents.after, schemas.after);
  const isDeprecated = ({ deprecated = [] }: Keywords) => ({ deprecated: deprecated.includes(true) });
  const flags = { before: isDeprecated(before), after: isDeprecated(after) };
  const { at = { node: {} } } = placed(documents, node, "deprecated");
  const deprecations = deprecationChanges(flags, at).map((change) => ({ ...change, field }));
  try {
    const uncertain = uncertainChanges(scope, schemas);
    return [...deprecations, ...choiceChanges(scope, { before, after }), ...uncertain, ...formChanges(scope, schemas)];
  } catch (error) {
    if (!(error instanceof TooManyFormsError)) throw error;
    const isWritten = JSON.stringify(schemas.before) === JSON.stringify(schemas.after);
    if (isWritten && isDeepStrictEqual(documents.before.components, documents.after.components)) return deprecations;
    return [
      ...deprecations,
      effect(scope, "replaces", "the schema has too many alternatives to compare and may have changed"),
    ];
  }
}

/** A value that fits two members of an `anyOf` is refused by the same `oneOf`. */
function choiceChanges(scope: Scope, { before, after }: Pair<Keywords>): SchemaChange[] {
  const [had, has] = [before, after].map(({ anyOf, oneOf }) =>
    anyOf && oneOf ? "both" : anyOf ? "any" : oneOf && "one",
  );
  if (had === "any" && has === "one") return [effect(scope, "narrows", "`anyOf` becomes `oneOf`", "oneOf")];
  return had === "one" && has === "any" ? [effect(scope, "widens", "`oneOf` becomes `anyOf`", "anyOf")] : [];
}

function formChanges(scope: Scope, schemas: Pair<SchemaNode>): SchemaChange[] {
  const { documents } = scope;
  const before = alternativesOf(documents.before, schemas.before);
  const after = alternativesOf(documents.after, schemas.after);
  const isEndless = before.length === 0 || after.length === 0; // a choice between itself and others
  if (isEndless && meaningOf(documents.before, schemas.before) !== meaningOf(documents.after, schemas.after))
    return [effect(scope, "replaces", "a schema that is a choice between itself and others changes")];
  const { pairs, removed, added } = matched(before, after);
  return [
    ...pairs.flatMap((forms) => alternativeChanges(scope, forms)),
    ...(after.some(isAnything) ? [] : removed).map((form) => effect(scope, "narrows", `${named(form)} is removed`)),
    ...(before.some(isAnything) ? [] : added).map((form) =>
      effect(scope, "widens", `${named(form)} is added`, keyOf(form)),
    ),
  ];
}

/**
 * Which forms are compared: those of one component, then those with one text, then those of one type. However they are
 * paired, where each accepts what its earlier one did, so do all together.
 */
function matched(before: Alternative[], after: Alternative[]) {
  if (before.length === 1 && after.length === 1)
    return { pairs: [{ before: before[0]!, after: after[0]! }], removed: [], added: [] };
  const pairs: Pair<Alternative>[] = [];
  let [removed, added] = [before, after];
  const match = (belong: (forms: Pair<Alternative>) => boolean) => {
    for (const form of removed) {
      const other = added.find((each) => belong({ before: form, after: each }));
      if (other === undefined) continue;
      pairs.push({ before: form, after: other });
      removed = removed.filter((each) => each !== form);
      added = added.filter((each) => each !== other);
    }
  };
  const isOfOneType = (forms: Pair<Alternative>) => forms.before.type === forms.after.type;
  match((forms) => forms.before.name !== undefined && forms.before.name === forms.after.name && isOfOneType(forms));
  match((forms) => textOf(forms.before) === textOf(forms.after));
  match(isOfOneType);
  return { pairs, removed, added };
}

function textOf({ type, keywords }: Alternative): string {
  const entries = Object.entries(keywords).filter(([keyword]) => !isAnnotation(keyword));
  return JSON.stringify([type, entries.toSorted(([one], [other]) => (one < other ? -1 : 1))]);
}

function isAnything({ type, keywords }: Alternative): boolean {
  return type === undefined && Object.keys(keywords).every(isAnnotation);
}

function named({ name, type, keywords }: Alternative): string {
  if (type === "null") return "the value null";
  const [title] = keywords["title"] ?? [];
  return `the alternative ${name ?? (typeof title === "string" ? title : (type ?? "of any type"))}`;
}

function keyOf({ type }: Alternative): string {
  return type === "null" ? "type" : "oneOf";
}

function alternativeChanges(scope: Scope, forms: Pair<Alternative>): SchemaChange[] {
  const { before, after } = forms;
  const types = typeEffect(before.type, after.type);
  const what = `the type changes from ${before.type ?? "any"} to ${after.type ?? "any"}`;
  const typed = types === undefined ? [] : [effect(scope, types, what, "type")];
  // What a schema says of values of one type means nothing for those of another.
  if (types !== undefined && !(isNumeric(before) && isNumeric(after))) return typed;
  const keywords = { before: before.keywords, after: after.keywords };
  compareItems(scope, keywords);
  return [
    ...typed,
    ...valueChanges(scope, keywords),
    ...boundChanges(scope, keywords),
    ...assertionChanges(scope, keywords),
    ...discriminatorChanges(scope, keywords),
    ...fieldChanges(scope, keywords),
    ...otherFieldChanges(scope, keywords),
    ...unknownKeywordChanges(scope, keywords),
  ];
}

function isNumeric({ type }: Alternative): boolean {
  return type === "integer" || type === "number";
}
