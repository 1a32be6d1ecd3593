import { isAnnotation } from "openapi-document";
import { isDeepStrictEqual } from "node:util";
import { type Alternative, alternativesOf, type Keywords, keywordsOf, type SchemaNode } from "./alternatives.ts";
import { assertionChanges, typeEffect, unsupportedChanges } from "./assertions.ts";
import {
  type Direction,
  type Documents,
  effect,
  findKeyword,
  type Pair,
  type PartChange,
  type Rating,
  type SchemaChange,
  type Scope,
} from "./changes.ts";
import { combinationChanges, meaningOf } from "./combinations.ts";
import { nestedChanges } from "./fields.ts";

/** A pair of schemas to compare. `field` is the path to the pair. */
interface Step {
  field: string;
  schemas: Pair<SchemaNode>;
  /** The text of both schemas. */
  key: string;
}

/** The changes of a pair of schemas, and its nested pairs. The paths of both begin at the pair. */
interface Comparison {
  changes: SchemaChange[];
  nested: Step[];
}

/** The results so far, by documents and by direction and pair. Operations share most of their schemas. */
const comparisons = new WeakMap<Documents, Map<string, Comparison>>();

/**
 * Compares two schemas for values of one direction. Compares each pair of references once, since schemas may contain
 * themselves, and level by level, so that a change is reported at the shortest field. `same` holds the pairs of schemas that
 * are assumed to be equivalent.
 */
export function schemaChanges(
  documents: Documents,
  direction: Direction,
  root: Pair<SchemaNode>,
  same?: Set<string>,
): SchemaChange[] {
  const results = comparisons.get(documents) ?? new Map<string, Comparison>();
  comparisons.set(documents, results);
  const isSame = (schemas: Pair<SchemaNode>) =>
    schemaChanges(documents, direction, schemas, new Set(same)).every(({ impact }) => impact === "documentation");
  const comparisonOf = ({ schemas, key }: Step): Comparison => {
    const name = `${direction} ${key}`;
    const known = same === undefined ? results.get(name) : undefined; // assumptions may change a result
    if (known !== undefined) return known;
    const nested: Step[] = [];
    const compare = ({ field }: Scope, pair: Pair<SchemaNode>) => nested.push(stepTo(field, pair));
    const changes = changesOf({ documents, direction, field: "", node: schemas.after, compare, isSame }, schemas);
    if (same === undefined) results.set(name, { changes, nested });
    return { changes, nested };
  };
  const visited = same ?? new Set();
  const steps: Step[] = [];
  const add = (step: Step) => {
    if (visited.has(step.key)) return;
    if (step.key.includes('"$ref"')) visited.add(step.key);
    steps.push(step);
  };
  add(stepTo("", root));
  const changes: SchemaChange[] = [];
  for (const step of steps) {
    const own = comparisonOf(step);
    changes.push(...own.changes.map((change) => ({ ...change, field: joined(step.field, change.field) })));
    for (const nested of own.nested) add({ ...nested, field: joined(step.field, nested.field) });
  }
  return changes;
}

function stepTo(field: string, schemas: Pair<SchemaNode>): Step {
  return { field, schemas, key: JSON.stringify([schemas.before, schemas.after]) };
}

function joined(field: string, inner: string): string {
  return field === "" || inner === "" || inner.startsWith("[]") ? field + inner : `${field}.${inner}`;
}

/** The rating of a deprecation and of its dates. */
export const DEPRECATION: Rating = {
  impact: "additive",
  because: "A deprecation is announced with a minor version (Semantic Versioning, item 7).",
};

/** Compares a `deprecated` flag of an operation, parameter, header or schema. */
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
  const { at = { node: {} } } = findKeyword(documents, node, "deprecated");
  return [
    ...deprecationChanges(flags, at).map((change) => ({ ...change, field })),
    ...choiceChanges(scope, { before, after }),
    ...combinationChanges(scope, schemas),
    ...alternativesChanges(scope, schemas),
  ];
}

/** A value that matches two members of an `anyOf` is invalid for a `oneOf` of the same members. */
function choiceChanges(scope: Scope, { before, after }: Pair<Keywords>): SchemaChange[] {
  const [had, has] = [before, after].map(({ anyOf, oneOf }) =>
    anyOf && oneOf ? "both" : anyOf ? "any" : oneOf && "one",
  );
  if (had === "any" && has === "one") return [effect(scope, "narrows", "`anyOf` becomes `oneOf`", "oneOf")];
  return had === "one" && has === "any" ? [effect(scope, "widens", "`oneOf` becomes `anyOf`", "anyOf")] : [];
}

function alternativesChanges(scope: Scope, schemas: Pair<SchemaNode>): SchemaChange[] {
  const { documents } = scope;
  const before = alternativesOf(documents.before, schemas.before);
  const after = alternativesOf(documents.after, schemas.after);
  if (before === undefined || after === undefined) {
    const isWritten = JSON.stringify(schemas.before) === JSON.stringify(schemas.after);
    if (isWritten && isDeepStrictEqual(documents.before.components, documents.after.components)) return [];
    return [effect(scope, "replaces", "the schema has too many alternatives to compare and may have changed")];
  }
  const isEndless = before.length === 0 || after.length === 0; // a choice that contains itself
  if (isEndless && meaningOf(documents.before, schemas.before) !== meaningOf(documents.after, schemas.after))
    return [effect(scope, "replaces", "a choice of schemas that contains itself changes")];
  const { pairs, removed, added } = matchAlternatives(before, after);
  return [
    ...pairs.flatMap((pair) => oneAlternativeChanges(scope, pair)),
    ...(after.some(isUnrestricted) ? [] : removed).map((alternative) =>
      effect(scope, "narrows", `${nameOf(alternative)} is removed`),
    ),
    ...(before.some(isUnrestricted) ? [] : added).map((alternative) =>
      effect(scope, "widens", `${nameOf(alternative)} is added`, keyOf(alternative)),
    ),
  ];
}

/**
 * Pairs alternatives: first those of the same component, then those with the same JSON, then those of the same type. Any
 * pairing is safe: if each alternative accepts all values of its earlier one, so do all together.
 */
function matchAlternatives(before: Alternative[], after: Alternative[]) {
  if (before.length === 1 && after.length === 1)
    return { pairs: [{ before: before[0]!, after: after[0]! }], removed: [], added: [] };
  const pairs: Pair<Alternative>[] = [];
  let [removed, added] = [before, after];
  const match = (belong: (pair: Pair<Alternative>) => boolean) => {
    for (const alternative of removed) {
      const other = added.find((each) => belong({ before: alternative, after: each }));
      if (other === undefined) continue;
      pairs.push({ before: alternative, after: other });
      removed = removed.filter((each) => each !== alternative);
      added = added.filter((each) => each !== other);
    }
  };
  const isOfOneType = (pair: Pair<Alternative>) => pair.before.type === pair.after.type;
  match((pair) => pair.before.name !== undefined && pair.before.name === pair.after.name && isOfOneType(pair));
  match((pair) => textOf(pair.before) === textOf(pair.after));
  match(isOfOneType);
  return { pairs, removed, added };
}

function textOf({ type, keywords }: Alternative): string {
  const entries = Object.entries(keywords).filter(([keyword]) => !isAnnotation(keyword));
  return JSON.stringify([type, entries.toSorted(([one], [other]) => (one < other ? -1 : 1))]);
}

function isUnrestricted({ type, keywords }: Alternative): boolean {
  return type === undefined && Object.keys(keywords).every(isAnnotation);
}

function nameOf({ name, type, keywords }: Alternative): string {
  if (type === "null") return "the value null";
  const [title] = keywords["title"] ?? [];
  return `the alternative ${name ?? (typeof title === "string" ? title : (type ?? "of any type"))}`;
}

function keyOf({ type }: Alternative): string {
  return type === "null" ? "type" : "oneOf";
}

function oneAlternativeChanges(scope: Scope, pair: Pair<Alternative>): SchemaChange[] {
  const { before, after } = pair;
  const types = typeEffect(before.type, after.type);
  const what = `the type changes from ${before.type ?? "any"} to ${after.type ?? "any"}`;
  const typed = types === undefined ? [] : [effect(scope, types, what, "type")];
  // Keywords for one type mean nothing for another.
  if (types !== undefined && !(isNumeric(before) && isNumeric(after))) return typed;
  const keywords = { before: before.keywords, after: after.keywords };
  return [
    ...typed,
    ...assertionChanges(scope, keywords),
    ...nestedChanges(scope, keywords),
    ...unsupportedChanges(scope, keywords),
  ];
}

function isNumeric({ type }: Alternative): boolean {
  return type === "integer" || type === "number";
}
