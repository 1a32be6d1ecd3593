import { isAnnotation } from "openapi-document";
import { type Effect, effect, keysOf, type Pair, type SchemaChange, type Scope, shown, verb } from "./changes.ts";
import { type Keywords, type SchemaNode, valuesOf } from "./alternatives.ts";

/** The effect of a change of type; undefined if the type is the same. */
export function typeEffect(before: string | undefined, after: string | undefined): Effect | undefined {
  if (before === after) return undefined;
  if (after === undefined || (before === "integer" && after === "number")) return "widens";
  return before === undefined || (before === "number" && after === "integer") ? "narrows" : "replaces";
}

/** Compares the keywords that exclude values by themselves, and `discriminator`. */
export function assertionChanges(scope: Scope, keywords: Pair<Keywords>): SchemaChange[] {
  return [valueChanges, boundChanges, otherChanges, discriminatorChanges].flatMap((compare) =>
    compare(scope, keywords),
  );
}

/** Compares the values of `enum` and `const`. */
function valueChanges(scope: Scope, { before, after }: Pair<Keywords>): SchemaChange[] {
  const [old, current] = [valuesOf(before), valuesOf(after)];
  const key = after["enum"] === undefined ? "const" : "enum";
  if (old === undefined)
    return current === undefined ? [] : [effect(scope, "narrows", `the values are limited to ${listed(current)}`, key)];
  if (current === undefined) return [effect(scope, "widens", `values besides ${listed(old)} become valid`)];
  const lost = old.filter((value) => !current.includes(value));
  const gained = current.filter((value) => !old.includes(value));
  if (lost.length + gained.length === 0 && old.join() !== current.join()) {
    const change = effect(scope, "widens", "the order of the values changes", key);
    return [{ ...change, impact: "documentation", because: "The order has no meaning." }];
  }
  return [
    ...lost.map((value) => effect(scope, "narrows", `the value ${value} is removed`)),
    ...gained.map((value) => effect(scope, "widens", `the value ${value} is added`, key)),
  ];
}

function listed(values: string[]): string {
  return values.length > 9 ? `${values.slice(0, 9).join(", ")}, …` : values.join(", ");
}

/** A keyword that bounds values. In OpenAPI 3.0 the exclusive keyword is a flag beside it. */
interface Bound {
  sign: 1 | -1;
  keyword: string;
  exclusive?: string;
  /** The bound if the keyword is absent. */
  otherwise?: number;
}

const BOUNDS: Bound[] = [
  { sign: 1, keyword: "minimum", exclusive: "exclusiveMinimum" },
  { sign: -1, keyword: "maximum", exclusive: "exclusiveMaximum" },
  ...["minLength", "minItems", "minProperties"].map((keyword): Bound => ({ sign: 1, keyword, otherwise: 0 })),
  ...["maxLength", "maxItems", "maxProperties"].map((keyword): Bound => ({ sign: -1, keyword })),
];

/** A bound as a number: the greater, the tighter. */
interface Limit {
  tightness: number;
  isExcluded: boolean;
  text?: string;
}

/** Compares the bounds of lengths, counts and numbers. */
function boundChanges(scope: Scope, { before, after }: Pair<Keywords>): SchemaChange[] {
  return BOUNDS.flatMap((bound) => {
    const [old, current] = [tightest(before, bound), tightest(after, bound)];
    const isTighter = tighter(current, old);
    if (!isTighter && !tighter(old, current)) return [];
    const { keyword, exclusive = keyword } = bound;
    const what = changeText(keyword, old.text, current.text);
    return [effect(scope, isTighter ? "narrows" : "widens", what, after[keyword] === undefined ? exclusive : keyword)];
  });
}

function tightest(keywords: Keywords, { sign, keyword, exclusive = "", otherwise }: Bound): Limit {
  const isFlagged = keywords[exclusive]?.includes(true) ?? false;
  const numbers = (key: string) => (keywords[key] ?? []).filter((value) => typeof value === "number");
  const limit = (value: number, isExcluded: boolean): Limit => {
    return { tightness: sign * value, isExcluded, text: isExcluded ? `${value} (excluded)` : String(value) };
  };
  const limits = [
    ...numbers(keyword).map((value) => limit(value, isFlagged)),
    ...numbers(exclusive).map((value) => limit(value, true)),
  ];
  const none: Limit = { tightness: otherwise ?? Number.NEGATIVE_INFINITY, isExcluded: false };
  return limits.reduce((one, other) => (tighter(other, one) ? other : one), none);
}

function tighter(one: Limit, other: Limit): boolean {
  return one.tightness > other.tightness || (one.tightness === other.tightness && one.isExcluded && !other.isExcluded);
}

/** A keyword that excludes values. Adding it narrows and removing it widens, unless a change of it may do either. */
interface Assertion {
  mayDoEither?: true;
  /** Whether the value is one schema, or holds several. */
  holds?: "schema" | "schemas";
  /** The value that excludes nothing. */
  unrestricted?: boolean;
}

const ASSERTIONS = new Map<string, Assertion>([
  ["pattern", {}],
  ["format", {}],
  ["multipleOf", {}],
  ["uniqueItems", { unrestricted: false }],
  ["not", { holds: "schema" }],
  ["propertyNames", { holds: "schema" }],
  ["dependentRequired", {}],
  ["unevaluatedItems", { holds: "schema", unrestricted: true }],
  ["unevaluatedProperties", { holds: "schema", unrestricted: true }],
  ["contentEncoding", { mayDoEither: true }],
  ["contentMediaType", { mayDoEither: true }],
  ["contentSchema", { mayDoEither: true, holds: "schema" }],
  ["patternProperties", { mayDoEither: true, holds: "schemas" }],
  ["dependentSchemas", { mayDoEither: true, holds: "schemas" }],
  ["prefixItems", { mayDoEither: true, holds: "schemas" }],
  ["contains", { mayDoEither: true, holds: "schema" }],
  ["minContains", { mayDoEither: true }],
  ["maxContains", { mayDoEither: true }],
  ["if", { mayDoEither: true, holds: "schema" }],
  ["then", { mayDoEither: true, holds: "schema" }],
  ["else", { mayDoEither: true, holds: "schema" }],
]);

/** Compares the other keywords that exclude values. */
function otherChanges(scope: Scope, { before, after }: Pair<Keywords>): SchemaChange[] {
  return [...ASSERTIONS].flatMap(([keyword, { unrestricted, holds, mayDoEither }]) => {
    const effective = ({ [keyword]: values = [] }: Keywords) => values.filter((value) => value !== unrestricted);
    const [old, current] = [effective(before), effective(after)];
    const isSame = (one: unknown, other: unknown) => isEquivalent(scope, holds, { before: one, after: other });
    const lost = old.filter((value) => !current.some((other) => isSame(value, other)));
    const gained = current.filter((value) => !old.some((other) => isSame(other, value)));
    if (lost.length + gained.length === 0) return [];
    const kind = mayDoEither ? "replaces" : effectOf(keyword, lost, gained);
    return [effect(scope, kind, changeText(keyword, shownOf(lost), shownOf(gained)), keyword)];
  });
}

/** Pairs of formats; the second includes the first (OpenAPI Format Registry). */
const WIDER_FORMATS = new Set(["int32 int64", "float double"]);

function effectOf(keyword: string, lost: unknown[], gained: unknown[]): Effect {
  if (lost.length === 0) return "narrows";
  if (gained.length === 0) return "widens";
  if (lost.length > 1 || gained.length > 1) return "replaces";
  const [old, current] = [lost[0], gained[0]];
  if (keyword === "format" && WIDER_FORMATS.has(`${String(old)} ${String(current)}`)) return "widens";
  if (keyword === "format" && WIDER_FORMATS.has(`${String(current)} ${String(old)}`)) return "narrows";
  if (keyword !== "multipleOf") return "replaces";
  if (Number.isInteger(Number(current) / Number(old))) return "narrows";
  return Number.isInteger(Number(old) / Number(current)) ? "widens" : "replaces";
}

/** Whether two values of a keyword mean the same. References in their schemas are resolved. */
function isEquivalent(scope: Scope, holds: Assertion["holds"], { before, after }: Pair<unknown>): boolean {
  if (holds === undefined) return JSON.stringify(before) === JSON.stringify(after);
  if (holds === "schema") return scope.isSame({ before: before as SchemaNode, after: after as SchemaNode });
  const maps = { before: before as Record<string, SchemaNode>, after: after as Record<string, SchemaNode> };
  return keysOf(maps).every((key) => {
    const [old, current] = [maps.before[key], maps.after[key]];
    return old !== undefined && current !== undefined && scope.isSame({ before: old, after: current });
  });
}

function shownOf(values: unknown[]): string | undefined {
  return values.length === 0 ? undefined : values.map(shown).join(" and ");
}

function changeText(keyword: string, old: string | undefined, current: string | undefined): string {
  if (old === undefined) return `\`${keyword}\` ${current} is added`;
  if (current === undefined) return `\`${keyword}\` ${old} is removed`;
  return old === current ? `\`${keyword}\` changes behind ${old}` : `\`${keyword}\` changes from ${old} to ${current}`;
}

interface Discriminator {
  propertyName?: string;
  mapping?: Record<string, string>;
}

/** Compares `discriminator`. A name added to its mapping comes with an alternative, which is reported already. */
function discriminatorChanges(scope: Scope, { before, after }: Pair<Keywords>): SchemaChange[] {
  const of = ({ discriminator = [] }: Keywords) => (discriminator[0] ?? {}) as Discriminator;
  const [old, current] = [of(before), of(after)];
  const isKept = Object.entries(old.mapping ?? {}).every(([name, target]) => current.mapping?.[name] === target);
  const added = Object.entries(current.mapping ?? {}).filter(([name]) => old.mapping?.[name] === undefined);
  // By default a value names the component (OpenAPI 3.1.1, section 4.8.25), so writing the default changes nothing.
  const isMeant = ([name, target]: [string, string]) => target === name || target === `#/components/schemas/${name}`;
  if (old.propertyName === current.propertyName && isKept) {
    if (old.propertyName === undefined || added.every(isMeant)) return [];
    const isRenamed = added.some(([name, target]) => targetsIn(before).includes(name) && !isMeant([name, target]));
    return [effect(scope, isRenamed ? "replaces" : "widens", "`discriminator` gets another mapping", "discriminator")];
  }
  const what = `\`discriminator\` ${verb(before["discriminator"], after["discriminator"])}`;
  return [effect(scope, "replaces", what, "discriminator")];
}

/** The names of the components in a schema's `anyOf` and `oneOf`. */
function targetsIn(keywords: Keywords): string[] {
  const members = ["anyOf", "oneOf"].flatMap((keyword) => (keywords[keyword] ?? []).flat()) as { $ref?: string }[];
  return members.flatMap(({ $ref }) => $ref?.split("/").at(-1) ?? []);
}

const COMPARED = new Set([
  ...BOUNDS.flatMap(({ keyword, exclusive = keyword }) => [keyword, exclusive]),
  ...ASSERTIONS.keys(),
  "enum",
  "const",
  "discriminator",
  "items",
  "properties",
  "required",
  "additionalProperties",
  "default",
  "deprecated",
  "readOnly",
  "writeOnly",
  "$defs",
]);

/** Returns changes to keywords that the comparison does not support. They may have any effect. */
export function unsupportedChanges(scope: Scope, keywords: Pair<Keywords>): SchemaChange[] {
  const { before, after } = keywords;
  return keysOf(keywords)
    .filter((keyword) => !COMPARED.has(keyword) && !isAnnotation(keyword))
    .filter((keyword) => JSON.stringify(before[keyword]) !== JSON.stringify(after[keyword]))
    .map((keyword) => effect(scope, "replaces", `\`${keyword}\` ${verb(before[keyword], after[keyword])}`, keyword));
}
