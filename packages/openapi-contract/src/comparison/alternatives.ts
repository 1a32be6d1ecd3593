import {
  ASSERTIONS_BY_TYPE,
  mayBe,
  type OpenApiDocument,
  partsOf,
  pointer,
  type Schema,
  typeOf,
} from "openapi-document";
import { canonicalKeywords, isAnything, isNothing, type SchemaNode } from "./canonical.ts";

export type { SchemaNode } from "./canonical.ts";

/** The canonical keywords of several schemas that apply at once: all values of each keyword, without duplicates. */
export type Keywords = Record<string, unknown[]>;

/** One alternative for a valid value, of one JSON type if a type is given. */
export interface Alternative {
  /** The name of the component, if the schema is a reference. */
  name?: string;
  type?: string;
  /** With the members of each `oneOf` that led here, as `oneOf`: the value must match no other of them. */
  keywords: Keywords;
}

/** The most steps to expand a schema in. A schema that takes more is not compared. */
const MAX_STEPS = 2_000;

/** The state of an expansion: the steps left, and whether a choice contains itself. */
interface Expansion {
  left: number;
  isCircular: boolean;
}

/**
 * Expands a schema into its alternatives: references resolved, `allOf` merged, one alternative for each member of an `anyOf`
 * or `oneOf` and for each of several types. Equivalent schemas in different notations have the same alternatives. A schema
 * that allows no value has none. Returns undefined if there are too many, or if a choice contains only itself.
 */
export function alternativesOf(document: OpenApiDocument, schema: SchemaNode): Alternative[] | undefined {
  const known = expanded.get(document) ?? new Map<SchemaNode, Alternative[] | undefined>();
  expanded.set(document, known);
  if (known.has(schema)) return known.get(schema);
  const expansion: Expansion = { left: MAX_STEPS, isCircular: false };
  const alternatives = expand(document, keywordsOf(document, schema), [], expansion);
  const isUnknown = expansion.left < 0 || (expansion.isCircular && alternatives.length === 0);
  const result = isUnknown ? undefined : alternatives;
  known.set(schema, result);
  return result;
}

/** The members of a large `oneOf` are compared in pairs. */
const expanded = new WeakMap<OpenApiDocument, Map<SchemaNode, Alternative[] | undefined>>();

/**
 * All keywords that apply to a schema, including those of its references and its `allOf`, and `others`. Schemas `above` are
 * left out.
 */
export function keywordsOf(
  document: OpenApiDocument,
  schema: SchemaNode,
  above: Iterable<SchemaNode> = [],
  others: Keywords = {},
): Keywords {
  const keywords = { ...others };
  const seen = new Set<unknown>(above);
  const add = (node: SchemaNode): void => {
    for (const own of partsOf(document, node, seen)) {
      for (const [keyword, value] of Object.entries(canonicalKeywords(document, own))) {
        const members = isChoice(keyword) && Array.isArray(value) ? withoutNothing(value as SchemaNode[]) : undefined;
        if (members?.length === 1) add(members[0]!);
        else if (keyword !== "anyOf" || members?.some(isAnything) !== true)
          keywords[keyword] = distinct([...(keywords[keyword] ?? []), members ?? value]);
      }
    }
  };
  add(schema);
  return keywords;
}

/** Returns the members of a choice that allow values. Without any, one of them is left. */
function withoutNothing(members: SchemaNode[]): SchemaNode[] {
  const left = members.filter((member) => !isNothing(member));
  return left.length === 0 ? members.slice(0, 1) : left;
}

/** Combines schemas that apply at once. No schema at all allows any value. */
export function allOf(schemas: SchemaNode[]): SchemaNode {
  const members = distinct(schemas.flatMap(membersOf)) as SchemaNode[];
  if (members.length === 0) return true;
  return members.length === 1 ? members[0]! : { allOf: members };
}

/** The values that `enum` and `const` allow, as JSON; undefined if neither is given. */
export function valuesOf({ enum: lists = [], const: constants = [] }: Keywords): string[] | undefined {
  const [first, ...others] = [...(lists as unknown[][]), ...constants.map((value) => [value])].map((list) =>
    list.map((value) => JSON.stringify(value)),
  );
  return first?.filter((value) => others.every((other) => other.includes(value)));
}

const CHOICES = ["anyOf", "oneOf"] as const;

function isChoice(keyword: string): boolean {
  return keyword === "anyOf" || keyword === "oneOf";
}

function membersOf(schema: SchemaNode): SchemaNode[] {
  if (typeof schema === "boolean") return [schema];
  const { allOf: members, ...others } = schema as Schema & { allOf?: SchemaNode[] };
  return members !== undefined && Object.keys(others).length === 0 ? members.flatMap(membersOf) : [schema];
}

function distinct(values: unknown[]): unknown[] {
  if (values.length === 1) return values;
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

/** `above` holds the targets of the references on the path here. A choice that contains itself would otherwise expand for ever. */
function expand(
  document: OpenApiDocument,
  keywords: Keywords,
  above: readonly SchemaNode[],
  expansion: Expansion,
  name?: string,
  exclusive: SchemaNode[][] = [],
): Alternative[] {
  if (--expansion.left < 0) return [];
  if (keywords["not"]?.some(isAnything)) return [];
  const keyword = CHOICES.find((each) => keywords[each] !== undefined);
  if (keyword === undefined)
    return splitByType(exclusive.length === 0 ? keywords : { ...keywords, oneOf: distinct(exclusive) }, name);
  const [members, ...others] = keywords[keyword] as SchemaNode[][];
  const { [keyword]: _, ...simple } = keywords;
  const rest = others.length === 0 ? simple : { ...simple, [keyword]: others };
  return members!.flatMap((member) => {
    const $ref = typeof member === "object" ? member.$ref : undefined;
    const target = $ref === undefined ? [] : [pointer(document, $ref) as SchemaNode];
    if (target.some((schema) => above.includes(schema))) {
      expansion.isCircular = true;
      return [];
    }
    const merged = keywordsOf(document, member, above, rest);
    const inner = keyword === "oneOf" ? [...exclusive, members!] : exclusive;
    return expand(document, merged, [...above, ...target], expansion, $ref?.split("/").at(-1) ?? name, inner);
  });
}

function splitByType({ type: lists, ...keywords }: Keywords, name?: string): Alternative[] {
  const named = name === undefined ? {} : { name };
  const values = valuesOf(keywords)?.map((value) => JSON.parse(value) as unknown);
  if (lists === undefined && values === undefined) return [{ ...named, keywords }];
  const types = (lists ?? [[...new Set(values!.map((value) => numeric(typeOf(value))))]])
    .map((list) => withoutInteger([list as string | string[]].flat()))
    .reduce((one, other) => one.flatMap((type) => intersection(type, other)));
  return types.flatMap((type) => {
    const own = Object.fromEntries(Object.entries(keywords).filter(([keyword]) => appliesTo(keyword, type)));
    const left = values?.filter((value) => mayBe({ type }, value));
    if (left === undefined || (types.length === 1 && left.length === values!.length))
      return [{ ...named, type, keywords: own }];
    const { const: _, ...others } = own;
    return left.length === 0 ? [] : [{ ...named, type, keywords: { ...others, enum: [left] } }];
  });
}

function numeric(type: string): string {
  return type === "integer" ? "number" : type;
}

/** A list of types with `number` needs no `integer`. */
function withoutInteger(types: string[]): string[] {
  return types.includes("number") ? types.filter((type) => type !== "integer") : types;
}

/** Returns whether a keyword means something for values of a type. */
export function appliesTo(keyword: string, type: string): boolean {
  if (keyword === "format") return type !== "null" && type !== "boolean";
  const asserted = Object.keys(ASSERTIONS_BY_TYPE).find((each) => ASSERTIONS_BY_TYPE[each]!.includes(keyword));
  return asserted === undefined || asserted === numeric(type);
}

/** The intersection of a type with others. That of `number` and `integer` is `integer`. */
function intersection(type: string, others: string[]): string[] {
  if (others.includes(type)) return [type];
  if (type === "integer" && others.includes("number")) return ["integer"];
  return type === "number" && others.includes("integer") ? ["integer"] : [];
}
