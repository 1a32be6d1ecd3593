import { ASSERTIONS_BY_TYPE, mayBe, type OpenApiDocument, partsOf, pointer, type Schema } from "openapi-document";

/** A schema as a document writes it: an object or, since OpenAPI 3.1, a boolean. */
export type SchemaNode = Schema | boolean;

/** The keywords of several schemas that apply at once: all values of each keyword, without duplicates. */
export type Keywords = Record<string, unknown[]>;

/** One alternative for a valid value, of one JSON type if a type is given. */
export interface Alternative {
  /** The name of the component, if the schema is a reference. */
  name?: string;
  type?: string;
  keywords: Keywords;
}

/** The most steps to expand a schema in. A schema that takes more is not compared. */
const MAX_STEPS = 2_000;

/**
 * Expands a schema into its alternatives: references resolved, `allOf` merged, one alternative for each member of an `anyOf`
 * or `oneOf` and for each of several types. Equivalent schemas in different notations have the same alternatives.
 * Returns undefined if there are too many.
 */
export function alternativesOf(document: OpenApiDocument, schema: SchemaNode): Alternative[] | undefined {
  const steps = { left: MAX_STEPS };
  const alternatives = expand(document, keywordsOf(document, schema), [], steps);
  return steps.left < 0 ? undefined : alternatives;
}

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
    for (const { $ref: _, allOf: __, nullable, ...own } of partsOf(document, node, seen)) {
      if (nullable === true && own.type !== undefined) own.type = [own.type, "null"].flat();
      for (const [keyword, value] of Object.entries(own)) {
        if (isChoice(keyword) && isSingle(value)) add(value[0]);
        else if (value !== undefined) keywords[keyword] = distinct([...(keywords[keyword] ?? []), value]);
      }
    }
  };
  add(schema);
  return keywords;
}

/** Combines schemas that apply at once. No schema at all allows any value. */
export function allOf(schemas: SchemaNode[]): SchemaNode {
  const members = distinct(schemas.flatMap(membersOf)) as SchemaNode[];
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

function isSingle(value: unknown): value is [SchemaNode] {
  return Array.isArray(value) && value.length === 1;
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
  steps: { left: number },
  name?: string,
): Alternative[] {
  if (--steps.left < 0) return [];
  const keyword = CHOICES.find((each) => keywords[each] !== undefined);
  if (keyword === undefined) return splitByType(keywords, name);
  const [members, ...others] = keywords[keyword] as SchemaNode[][];
  const { [keyword]: _, ...simple } = keywords;
  const rest = others.length === 0 ? simple : { ...simple, [keyword]: others };
  return members!.flatMap((member) => {
    const $ref = typeof member === "object" ? member.$ref : undefined;
    const target = $ref === undefined ? [] : [pointer(document, $ref) as SchemaNode];
    if (target.some((schema) => above.includes(schema))) return [];
    const merged = keywordsOf(document, member, above, rest);
    return expand(document, merged, [...above, ...target], steps, $ref?.split("/").at(-1) ?? name);
  });
}

function splitByType({ type: lists, ...keywords }: Keywords, name?: string): Alternative[] {
  const named = name === undefined ? {} : { name };
  if (lists === undefined) return [{ ...named, keywords }];
  const types = lists
    .map((list) => [list as string | string[]].flat())
    .reduce((one, other) => one.flatMap((type) => intersection(type, other)));
  const values = valuesOf(keywords)?.map((value) => JSON.parse(value) as unknown);
  return types.flatMap((type) => {
    const own = Object.fromEntries(Object.entries(keywords).filter(([keyword]) => appliesTo(keyword, type)));
    if (values === undefined || types.length === 1) return [{ ...named, type, keywords: own }];
    const { const: _, ...others } = own;
    const left = values.filter((value) => mayBe({ type }, value));
    return left.length === 0 ? [] : [{ ...named, type, keywords: { ...others, enum: [left] } }];
  });
}

function appliesTo(keyword: string, type: string): boolean {
  if (keyword === "format") return type !== "null" && type !== "boolean";
  const asserted = Object.keys(ASSERTIONS_BY_TYPE).find((each) => ASSERTIONS_BY_TYPE[each]!.includes(keyword));
  return asserted === undefined || asserted === (type === "integer" ? "number" : type);
}

/** The intersection of a type with others. That of `number` and `integer` is `integer`. */
function intersection(type: string, others: string[]): string[] {
  if (others.includes(type)) return [type];
  if (type === "integer" && others.includes("number")) return ["integer"];
  return type === "number" && others.includes("integer") ? ["integer"] : [];
}
