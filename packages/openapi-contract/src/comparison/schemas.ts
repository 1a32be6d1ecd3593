import { pointerKeys } from "openapi-document";
import {
  allOf,
  type Alternative,
  alternativesOf,
  appliesTo,
  type Keywords,
  keywordsOf,
  type SchemaNode,
  valuesOf,
} from "./alternatives.ts";
import { assertionChanges, discriminatorChanges, typeEffect } from "./assertions.ts";
import { isNote } from "./canonical.ts";
import {
  both,
  type Direction,
  type Documents,
  type Effect,
  effect,
  findKeyword,
  fromTo,
  loss,
  type Node,
  type Pair,
  type PartChange,
  type Rating,
  RATINGS,
  type SchemaChange,
  type Scope,
  type Side,
} from "./changes.ts";
import { nestedChanges } from "./fields.ts";
import { isWithin } from "./inclusion.ts";
import type { Medium } from "./located.ts";
import { matchAlternatives, mayMatchOthers } from "./matching.ts";

/** The effects that a change may have, as far as the comparison can tell. */
type Possible = Record<"narrows" | "widens", boolean>;

/** A pair of schemas to compare. `field` is the path to the pair. */
interface Step {
  field: string;
  medium: Medium;
  schemas: Pair<SchemaNode>;
  /** The notation and the text of both schemas. */
  key: string;
  referrer?: PartChange["referrer"];
}

/** The changes of a pair of schemas, and its nested pairs. The paths of both begin at the pair. */
interface Comparison {
  changes: SchemaChange[];
  nested: Step[];
  possible: () => Possible;
  /** Whether nested pairs may not belong to each other, and fewer changes are possible than theirs. */
  isLimited: boolean;
}

/** A comparison to report. `limit` is the nearest limited one around it. */
interface Visit extends Step {
  limit?: { key: string; possible: () => Possible };
}

/** The results so far, by documents and by direction and pair. Operations share most of their schemas. */
const comparisons = new WeakMap<Documents, Map<string, Comparison>>();

/**
 * Compares two schemas for values of one direction. Compares each pair of references once, since schemas may contain
 * themselves, and level by level, so that a change is reported at the shortest field. A change of the set of valid values is
 * reported only as far as the sets differ: equal sets in two notations have no changes.
 */
export function schemaChanges(
  documents: Documents,
  direction: Direction,
  schemas: Pair<SchemaNode>,
  medium: Medium = "json",
): SchemaChange[] {
  const visited = new Set<string>();
  const visits: Visit[] = [];
  const add = (visit: Visit) => {
    const key = visit.limit === undefined ? visit.key : `${visit.limit.key} ${visit.key}`;
    if (visited.has(key)) return;
    if (visit.key.includes('"$ref"')) visited.add(key);
    visits.push(visit);
  };
  const root = stepTo("", medium, schemas);
  add({ ...root, ...(isExchanged(documents, schemas) && { referrer: null }) });
  const changes: SchemaChange[] = [];
  for (const visit of visits) {
    const { field, key } = visit;
    const own = comparisonOf(documents, direction, visit);
    const limit = own.isLimited ? { key, possible: own.possible } : visit.limit;
    for (const change of own.changes) {
      const limits = [own, ...(visit.limit ? [visit.limit] : [])];
      const kept = limits.reduce<SchemaChange | undefined>(
        (left, { possible }) => left && limitedTo(possible, direction, left),
        change,
      );
      if (kept === undefined) continue;
      const behind = visit.referrer !== undefined && { referrer: within(visit.referrer, kept.field) };
      changes.push({ ...kept, ...behind, field: joined(field, kept.field) });
    }
    for (const nested of own.nested) {
      const referrer = visit.referrer === undefined ? nested.referrer : within(visit.referrer, nested.field);
      const behind = referrer !== undefined && { referrer };
      add({ ...nested, ...behind, field: joined(field, nested.field), ...(limit && { limit }) });
    }
  }
  return changes;
}

function within<Part extends { field?: string } | null>(part: Part, field: string): Part {
  return part && { ...part, field: joined(part.field ?? "", field) };
}

/** Returns whether a schema refers to another component than before. Components that only have another name are the same. */
function isExchanged(documents: Documents, schemas: Pair<SchemaNode>): boolean {
  const { before, after } = both((side) => referenceIn(allOf([schemas[side]])));
  const has = (side: Side, reference: string) =>
    pointerKeys(reference).reduce<unknown>((node, key) => (node as Node | undefined)?.[key], documents[side]) !==
    undefined;
  if (before === after) return false;
  return before === undefined || after === undefined || has("after", before) || has("before", after);
}

function referenceIn(schema: SchemaNode): string | undefined {
  return typeof schema === "object" ? schema.$ref : undefined;
}

function comparisonOf(documents: Documents, direction: Direction, { schemas, key, medium }: Step): Comparison {
  const results = comparisons.get(documents) ?? new Map<string, Comparison>();
  comparisons.set(documents, results);
  const name = `${direction} ${key}`;
  const known = results.get(name);
  if (known !== undefined) return known;
  const nested: Step[] = [];
  const scope: Scope = {
    documents,
    direction,
    medium,
    field: "",
    node: schemas.after,
    earlier: schemas.before,
    compare: (inner, pair) => {
      const behind = isExchanged(documents, pair) && { referrer: { node: schemas.after, field: inner.field } };
      nested.push({ ...stepTo(inner.field, inner.medium, pair), ...behind });
    },
  };
  let possible: Possible | undefined;
  const comparison: Comparison = {
    nested,
    changes: [],
    isLimited: false,
    possible: () => (possible ??= possibleEffects(documents, schemas, medium)),
  };
  results.set(name, comparison); // for a `oneOf` that contains itself
  const alternatives = both((side) => alternativesOf(documents[side], schemas[side]));
  comparison.changes = changesOf(scope, schemas, alternatives);
  if (nested.length > 0 && mayMatchOthers(alternatives)) {
    const { narrows, widens } = comparison.possible();
    comparison.isLimited = !narrows || !widens;
  }
  return comparison;
}

function possibleEffects(documents: Documents, schemas: Pair<SchemaNode>, medium: Medium): Possible {
  const { before, after } = both((side) => ({ document: documents[side], schema: schemas[side] }));
  return { narrows: !isWithin(before, after, medium), widens: !isWithin(after, before, medium) };
}

/** Returns a change with the effect that it can have, or undefined if it can have none. */
function limitedTo(possible: () => Possible, direction: Direction, change: SchemaChange): SchemaChange | undefined {
  if (change.effect === undefined) return change;
  const { narrows, widens } = possible();
  if (change.effect !== "replaces") return (change.effect === "narrows" ? narrows : widens) ? change : undefined;
  if (narrows && widens) return change;
  const kind: Effect | undefined = narrows ? "narrows" : widens ? "widens" : undefined;
  return kind && { ...change, ...RATINGS[direction][kind], effect: kind };
}

function stepTo(field: string, medium: Medium, schemas: Pair<SchemaNode>): Step {
  return { field, medium, schemas, key: `${medium} ${JSON.stringify([schemas.before, schemas.after])}` };
}

function joined(field: string, inner: string): string {
  return field === "" || inner === "" || inner.startsWith("[") ? field + inner : `${field}.${inner}`;
}

/** The rating of a deprecation and of its dates. */
export const DEPRECATION: Rating = {
  impact: "additive",
  because: "A deprecation is announced with a minor version (Semantic Versioning, item 7).",
};

const DATES = ["x-deprecated-at", "x-sunset", "x-successor"];

/** Compares a `deprecated` flag of an operation, parameter, header or schema, and its announcement. */
export function deprecationChanges(nodes: Pair<Node>, placeOf: (key: string) => Pick<PartChange, "at">): PartChange[] {
  const { before, after } = nodes;
  const [was, is] = [before["deprecated"] === true, after["deprecated"] === true];
  const isNew = is && !was;
  return [
    ...(isNew ? [{ ...announced(after), what: "is deprecated", ...placeOf("deprecated") }] : []),
    ...(was && !is ? [{ ...DEPRECATION, what: "is no longer deprecated" }] : []),
    ...DATES.filter((key) => before[key] !== after[key] && !(isNew && before[key] === undefined)).map((key) => ({
      ...(key === "x-sunset" ? sunsetRating(before[key], after[key]) : DEPRECATION),
      what: `\`${key}\` ${fromTo(before[key], after[key])}`,
      ...placeOf(key),
    })),
  ];
}

/** The rating of a new deprecation, with the date and the successor that it announces. */
function announced({ "x-sunset": sunset, "x-successor": successor }: Node): Rating {
  const sentences = [
    ...(typeof sunset === "string" ? [`It may be removed from ${sunset} on.`] : []),
    ...(typeof successor === "string" ? [`Use \`${successor}\` instead.`] : []),
  ];
  return sentences.length === 0 ? DEPRECATION : { ...DEPRECATION, because: sentences.join(" ") };
}

/** A sunset may be announced, moved to a later date or withdrawn. */
function sunsetRating(before: unknown, after: unknown): Rating {
  const isLater = Date.parse(String(after)) >= Date.parse(String(before));
  if (before === undefined || after === undefined || isLater) return DEPRECATION;
  return { impact: "breaking", because: "Clients rely on the date that was announced." };
}

function changesOf(
  scope: Scope,
  schemas: Pair<SchemaNode>,
  alternatives: Pair<Alternative[] | undefined>,
): SchemaChange[] {
  const { documents, field, node } = scope;
  const flags = both((side) => {
    const keywords = keywordsOf(documents[side], schemas[side]);
    return Object.fromEntries(["deprecated", ...DATES].map((key) => [key, keywords[key]?.at(-1)]));
  });
  const deprecations = deprecationChanges(flags, (key) => findKeyword(documents, node, key));
  return [
    ...deprecations.map((change) => ({ ...change, field })),
    ...alternativesChanges(scope, schemas, alternatives),
  ];
}

function alternativesChanges(
  scope: Scope,
  schemas: Pair<SchemaNode>,
  { before, after }: Pair<Alternative[] | undefined>,
): SchemaChange[] {
  if (before === undefined || after === undefined) {
    const { documents } = scope;
    const components = both((side) => JSON.stringify([schemas[side], documents[side].components]));
    if (components.before === components.after) return [];
    return [effect(scope, "replaces", "the schema has too many alternatives to compare and may have changed")];
  }
  if (before.length === 0 && after.length > 0) return [effect(scope, "widens", "values become valid where none was")];
  if (after.length === 0 && before.length > 0) return [effect(scope, "narrows", "no value is valid any more")];
  const { pairs, removed, added } = matchAlternatives(before, after);
  const changes = [
    ...pairs.flatMap((pair) => oneAlternativeChanges(scope, pair)),
    ...(after.some(isUnrestricted) ? [] : removed).map((alternative) =>
      loss(scope, "narrows", `${nameOf(alternative)} is removed`, keyOf(alternative)),
    ),
    ...(before.some(isUnrestricted) ? [] : added).map((alternative) =>
      effect(scope, "widens", `${nameOf(alternative)} is added`, keyOf(alternative)),
    ),
  ];
  const isFirst = ({ what, field }: SchemaChange, at: number) =>
    changes.findIndex((other) => other.what === what && other.field === field) === at;
  return changes.filter((change, at) => !/`oneOf`|`discriminator`/.test(change.what) || isFirst(change, at));
}

function isUnrestricted({ type, keywords }: Alternative): boolean {
  return type === undefined && Object.keys(keywords).every(isNote);
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
  const isImplied =
    (before.type ?? after.type) !== undefined && (before.type === undefined || after.type === undefined);
  const hasValues = valuesOf(before.keywords) ?? valuesOf(after.keywords);
  const typed = types === undefined || (isImplied && hasValues) ? [] : [effect(scope, types, what, "type")];
  // Keywords for one type mean nothing for another.
  if (types === "replaces" || (typed.length > 0 && [before, after].some(isUnrestricted))) return typed;
  const keywords = both((side) => meantFor(pair[side].keywords, before.type ?? after.type));
  return [
    ...typed,
    ...assertionChanges(
      scope,
      keywords,
      (schemas) => isSame(scope, schemas),
      (schemas) => isKept(scope, schemas),
    ),
    ...discriminatorChanges(scope, keywords, after.name),
    ...nestedChanges(scope, keywords),
  ];
}

function meantFor(keywords: Keywords, type: string | undefined): Keywords {
  if (type === undefined) return keywords;
  return Object.fromEntries(Object.entries(keywords).filter(([keyword]) => appliesTo(keyword, type)));
}

/** Whether two schemas accept the same values. */
function isSame({ documents, medium }: Scope, schemas: Pair<SchemaNode>): boolean {
  const { narrows, widens } = possibleEffects(documents, schemas, medium);
  return !narrows && !widens;
}

const open = new Set<string>();

/** Whether two members of a `oneOf` differ only in their fields without effect. */
function isKept(scope: Scope, schemas: Pair<SchemaNode>): boolean {
  if (isSame(scope, schemas)) return true;
  const { documents, direction, medium } = scope;
  const { key } = stepTo("", medium, schemas);
  if (open.has(key)) return true; // a member that contains the `oneOf`
  open.add(key);
  const changes = schemaChanges(documents, direction, schemas, medium);
  open.delete(key);
  return changes.every((change) => change.effect === undefined && change.impact !== "breaking");
}
