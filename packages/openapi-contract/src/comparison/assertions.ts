import { isDeepStrictEqual } from "node:util";
import { isRecord } from "openapi-document";
import { type Keywords, type SchemaNode, valuesOf } from "./alternatives.ts";
import { BOUNDS, isTighter, tightest } from "./bounds.ts";
import { type Condition, type Contained, isNote, type Others, type Schemas } from "./canonical.ts";
import { type Effect, effect, keysOf, loss, type Pair, type SchemaChange, type Scope, shown, verb } from "./changes.ts";
import { excludeEachOther } from "./inclusion.ts";
import { meaningOf } from "./meaning.ts";
import { objectOf } from "./parts.ts";

/** The effect of a change of type; undefined if the type is the same. */
export function typeEffect(before: string | undefined, after: string | undefined): Effect | undefined {
  if (before === after) return undefined;
  if (after === undefined || (before === "integer" && after === "number")) return "widens";
  return before === undefined || (before === "number" && after === "integer") ? "narrows" : "replaces";
}

/**
 * Compares the keywords that exclude values by themselves. `isSame` tells whether two schemas accept the same values, and `isKept`
 * whether an earlier one has only more fields in the later one.
 */
export function assertionChanges(scope: Scope, keywords: Pair<Keywords>, isSame: Test, isKept: Test): SchemaChange[] {
  return [
    ...valueChanges(scope, keywords),
    ...boundChanges(scope, keywords),
    ...otherChanges(scope, keywords, isSame),
    ...exclusionChanges(scope, keywords, isKept),
    ...unsupportedChanges(scope, keywords),
  ];
}

type Test = (schemas: Pair<SchemaNode>) => boolean;

/** Compares the values of `enum` and `const`. */
function valueChanges(scope: Scope, { before, after }: Pair<Keywords>): SchemaChange[] {
  const [old, current] = [valuesOf(before), valuesOf(after)];
  const key = "enum";
  if (old === undefined)
    return current === undefined ? [] : [effect(scope, "narrows", `the values are limited to ${listed(current)}`, key)];
  if (current === undefined) return [loss(scope, "widens", `values besides ${listed(old)} become valid`, key)];
  const lost = old.filter((value) => !current.includes(value));
  const gained = current.filter((value) => !old.includes(value));
  if (lost.length + gained.length === 0 && old.join() !== current.join()) {
    const { effect: _, ...change } = effect(scope, "widens", "the order of the values changes", key);
    return [{ ...change, impact: "documentation", because: "The order has no meaning." }];
  }
  return [
    ...lost.map((value) => loss(scope, "narrows", `the value ${value} is removed`, key)),
    ...gained.map((value) => effect(scope, "widens", `the value ${value} is added`, key)),
  ];
}

function listed(values: string[]): string {
  return values.length > 9 ? `${values.slice(0, 9).join(", ")}, …` : values.join(", ");
}

/** Compares the bounds of lengths, counts and numbers. */
function boundChanges(scope: Scope, { before, after }: Pair<Keywords>): SchemaChange[] {
  return BOUNDS.flatMap((bound) => {
    const [old, current] = [tightest(before, bound), tightest(after, bound)];
    const narrows = isTighter(current, old);
    if (!narrows && !isTighter(old, current)) return [];
    const { keyword, exclusive = keyword } = bound;
    const what = changeText(keyword, old.text, current.text);
    return [effect(scope, narrows ? "narrows" : "widens", what, after[keyword] === undefined ? exclusive : keyword)];
  });
}

/** How a keyword that excludes values is compared. Adding it narrows and removing it widens, unless it may do either. */
interface Assertion {
  mayDoEither?: true;
  /** Returns the schemas in a value of the keyword, by their names. */
  schemas?: (value: never) => Schemas;
  /** Returns the value as a document writes it. */
  written?: (value: never) => unknown;
}

const ONE_SCHEMA: Assertion = { schemas: (schema: SchemaNode) => ({ schema }) };

const ASSERTIONS: Record<string, Assertion> = {
  pattern: {},
  format: {},
  multipleOf: {},
  uniqueItems: {},
  not: ONE_SCHEMA,
  propertyNames: ONE_SCHEMA,
  dependentRequired: {},
  dependentSchemas: { schemas: (map: Schemas) => map },
  unevaluatedItems: {},
  unevaluatedProperties: { written: ({ schema }: Others) => schema },
  contains: {
    schemas: ({ contains }: Contained) => ({ contains }),
    written: ({ contains, min, max }: Contained) =>
      min === 1 && max === Infinity
        ? contains
        : { contains, minContains: min, ...(max < Infinity && { maxContains: max }) },
  },
  if: { schemas: (condition: Condition) => ({ ...condition }), written: ({ if: condition }: Condition) => condition },
  contentEncoding: { mayDoEither: true },
  contentMediaType: { mayDoEither: true },
  contentSchema: { mayDoEither: true },
};

/** Compares the other keywords that exclude values. */
function otherChanges(scope: Scope, { before, after }: Pair<Keywords>, isSame: Test): SchemaChange[] {
  return Object.entries(ASSERTIONS).flatMap(([keyword, assertion]) => {
    const [old, current] = [before, after].map((keywords) => (keywords[keyword] ?? []).filter(isOwn));
    const isEqual = (one: unknown, other: unknown) =>
      isEquivalent(scope, assertion, { before: one, after: other }, isSame);
    const lost = old!.filter((value) => !current!.some((other) => isEqual(value, other)));
    const gained = current!.filter((value) => !old!.some((other) => isEqual(other, value)));
    if (lost.length + gained.length === 0) return [];
    const { mayDoEither, written = (own: unknown) => own } = assertion;
    const text = (values: unknown[]) => shownOf(values.map((value) => written(value as never)));
    const what = changeText(keyword, text(lost), text(gained));
    if (mayDoEither) return [unlimited(scope, what, keyword)];
    const isBoth = lost.length > 0 && gained.length > 0;
    return [effect(scope, isBoth ? "replaces" : lost.length > 0 ? "widens" : "narrows", what, keyword)];
  });
}

/** Returns a change that may have any effect, whatever the set of values is. */
function unlimited(scope: Scope, what: string, key: string): SchemaChange {
  const { effect: _, ...change } = effect(scope, "replaces", what, key);
  return change;
}

/** `unevaluatedProperties` is compared with the fields, unless the fields that it knows depend on the value. */
function isOwn(value: unknown): boolean {
  return !isRecord(value) || !("names" in value) || value["choices"] !== undefined;
}

/** Whether two values of a keyword mean the same: their schemas by what they accept, and all else by what is written. */
function isEquivalent(scope: Scope, { schemas }: Assertion, { before, after }: Pair<unknown>, isSame: Test): boolean {
  const { documents } = scope;
  if (schemas === undefined) {
    const written = (value: unknown) => (isRecord(value) ? { ...value, names: undefined } : value); // fields are compared
    return meaningOf(documents.before, written(before)) === meaningOf(documents.after, written(after));
  }
  const maps = { before: schemas(before as never), after: schemas(after as never) };
  if (["min", "max"].some((key) => isRecord(before) && isRecord(after) && before[key] !== after[key])) return false;
  return keysOf(maps).every((key) => {
    const [old, current] = [maps.before[key], maps.after[key]];
    return old !== undefined && current !== undefined && isSame({ before: old, after: current });
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

/** A value that matches two members of a `oneOf` is invalid, so a wider member may narrow the `oneOf`. */
function exclusionChanges(scope: Scope, { before, after }: Pair<Keywords>, isKept: Test): SchemaChange[] {
  const { documents, medium } = scope;
  const [old, current] = [before, after].map(({ oneOf = [] }) => oneOf as SchemaNode[][]) as [
    SchemaNode[][],
    SchemaNode[][],
  ];
  const areKept = (list: SchemaNode[], other: SchemaNode[]): boolean => {
    const free = new Set(other);
    return (
      list.length === other.length &&
      list.every((member) => {
        const kept = [...free].find((each) => isKept({ before: member, after: each }));
        return kept !== undefined && free.delete(kept);
      })
    );
  };
  const isNew = (list: SchemaNode[]) =>
    !old.some((each) => areKept(each, list)) && !excludeEachOther(documents.after, list, medium);
  const isLost = (list: SchemaNode[]) =>
    !current.some((each) => areKept(list, each)) && !excludeEachOther(documents.before, list, medium);
  const [narrows, widens] = [current.some(isNew), old.some(isLost)];
  if (!narrows && !widens) return [];
  const kind = narrows && widens ? "replaces" : narrows ? "narrows" : "widens";
  return [effect(scope, kind, "a `oneOf` with overlapping members changes", "oneOf")];
}

interface Discriminator {
  propertyName?: string;
  mapping?: Record<string, string>;
}

/** Compares `discriminator` of an alternative. A name added to its mapping comes with an alternative, which is reported already. */
export function discriminatorChanges(scope: Scope, { before, after }: Pair<Keywords>, name = ""): SchemaChange[] {
  const of = ({ discriminator = [] }: Keywords) => (discriminator[0] ?? {}) as Discriminator;
  const [old, current] = [of(before), of(after)];
  if (JSON.stringify(old) === JSON.stringify(current)) return [];
  const isKept = Object.entries(old.mapping ?? {}).every(([value, target]) => current.mapping?.[value] === target);
  const added = Object.entries(current.mapping ?? {}).filter(([value]) => old.mapping?.[value] === undefined);
  // By default a value names the component (OpenAPI 3.1.1, section 4.8.25), so writing the default changes nothing.
  const isMeant = ([value, target]: [string, string]) => target === value || target === `#/components/schemas/${value}`;
  if (old.propertyName === current.propertyName && isKept && added.every(isMeant)) return [];
  const key = "discriminator";
  const what = `\`discriminator\` ${verb(before[key], after[key])}`;
  const { effect: _, ...change } = effect(scope, "replaces", what, key);
  if (listsItsValues(old, before, name) && listsItsValues(current, after, name))
    return [
      { ...change, impact: "documentation", because: "The values of the field already tell the alternatives apart." },
    ];
  if (old.propertyName !== current.propertyName || !isKept) return [change];
  const isRenamed = added.some((entry) => targetsIn(before).includes(entry[0]) && !isMeant(entry));
  return [effect(scope, isRenamed ? "replaces" : "widens", "`discriminator` gets another mapping", key)];
}

/** Whether an alternative lists the values for which its discriminator chooses it. */
function listsItsValues({ propertyName, mapping = {} }: Discriminator, keywords: Keywords, name: string): boolean {
  if (propertyName === undefined) return true;
  const schema = objectOf(keywords).at(propertyName);
  const values = isRecord(schema)
    ? valuesOf(Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, [value]])))
    : [];
  const isRequired = (keywords["required"] ?? []).flat().includes(propertyName);
  const names = (values ?? []).map((value) => JSON.parse(value) as string);
  const isNamed = (value: string) => [name, `#/components/schemas/${name}`].includes(mapping[value] ?? value);
  return isRequired && names.length > 0 && names.every(isNamed);
}

/** The names of the components in a schema's `oneOf`. */
function targetsIn({ oneOf = [] }: Keywords): string[] {
  return (oneOf.flat() as { $ref?: string }[]).flatMap(({ $ref }) => $ref?.split("/").at(-1) ?? []);
}

const COMPARED = new Set([
  ...BOUNDS.flatMap(({ keyword, exclusive = keyword }) => [keyword, exclusive]),
  ...Object.keys(ASSERTIONS),
  ..."enum const oneOf discriminator items properties patternProperties required".split(" "),
  ..."additionalProperties default deprecated readOnly writeOnly".split(" "),
]);

/** Returns changes to keywords that the comparison does not support. They may have any effect. */
function unsupportedChanges(scope: Scope, keywords: Pair<Keywords>): SchemaChange[] {
  const { before, after } = keywords;
  return keysOf(keywords)
    .filter((keyword) => !COMPARED.has(keyword) && !isNote(keyword) && (keyword !== "xml" || scope.medium === "xml"))
    .filter((keyword) => !isDeepStrictEqual(before[keyword], after[keyword]))
    .map((keyword) => unlimited(scope, `\`${keyword}\` ${verb(before[keyword], after[keyword])}`, keyword));
}
