import { isMultipleOf } from "openapi-document";
import type { Alternative, SchemaNode } from "./alternatives.ts";
import { BOUNDS, isTighter, tightest, wholeLimit } from "./bounds.ts";
import { type Condition, type Contained, isNote, type Others, type Schemas } from "./canonical.ts";
import { type Located, type LocatedAlternative, type Medium, mediumBelow } from "./located.ts";
import { meaningOf } from "./meaning.ts";
import { itemsOf, requiredOf } from "./parts.ts";

/** Keywords that are compared elsewhere, or that exclude nothing. */
const LEFT_OUT = new Set([
  ...BOUNDS.flatMap(({ keyword, exclusive = keyword }) => [keyword, exclusive]),
  ..."properties patternProperties additionalProperties items".split(" "),
  ..."readOnly writeOnly deprecated default discriminator xml".split(" "),
]);

const KNOWN = new Set(
  `enum const pattern format multipleOf uniqueItems required not if contains dependentRequired dependentSchemas
  propertyNames oneOf unevaluatedItems unevaluatedProperties`.split(/\s+/),
);

/** Whether the keywords are equal whose meaning is not a set of values: those of content and unknown ones. */
function areSymmetric(left: LocatedAlternative, right: LocatedAlternative, medium: Medium): boolean {
  const isCompared = (keyword: string) =>
    keyword === "xml" ? medium === "xml" : !LEFT_OUT.has(keyword) && !KNOWN.has(keyword) && !isNote(keyword);
  const keywords = [...Object.keys(left.keywords), ...Object.keys(right.keywords)].filter(isCompared);
  return keywords.every((keyword) => isSameText(left, left.keywords[keyword], right, right.keywords[keyword]));
}

type InDocument = Pick<Located, "document">;

/** Whether two values are written in one way, with all that they refer to. */
function isSameText(left: InDocument, one: unknown, right: InDocument, other: unknown): boolean {
  return meaningOf(left.document, one) === meaningOf(right.document, other);
}

function isBounded(left: Alternative, right: Alternative, bound: (typeof BOUNDS)[number]): boolean {
  const [own, other] = [tightest(left.keywords, bound), tightest(right.keywords, bound)];
  if (bound.keyword === "minProperties" && requiredOf(left.keywords).size >= other.tightness) return true;
  if (bound.keyword === "maxItems" && itemsOf(left.keywords).max <= -other.tightness) return true;
  if (bound.exclusive === undefined || left.type !== "integer") return !isTighter(other, own);
  return !isTighter(wholeLimit(other), wholeLimit(own));
}

/** Pairs of formats; the second includes the first (OpenAPI Format Registry; RFC 3986 and 3987; RFC 6531; RFC 5890). */
const WIDER_FORMATS = new Set([
  "int32 int64",
  "int32 double",
  "float double",
  "uri uri-reference",
  "uri iri",
  "uri iri-reference",
  "uri-reference iri-reference",
  "iri iri-reference",
  "email idn-email",
  "hostname idn-hostname",
]);

/** The questions about schemas of the left and of the right document that a keyword leads to. */
export interface Tests {
  isNarrower: Test;
  isWider: Test;
  /** Whether a schema of the right document accepts every value of the left alternative. */
  isIn: (schema: SchemaNode) => boolean;
  /** Whether a schema of the right document accepts no value of the left alternative. */
  isApart: (schema: SchemaNode) => boolean;
}

type Test = (left: SchemaNode, right: SchemaNode, medium?: Medium) => boolean;

/** Whether every value of an alternative satisfies the keywords of another, apart from its type, fields and items. */
export function impliesKeywords(
  left: LocatedAlternative,
  right: LocatedAlternative,
  medium: Medium,
  tests: Tests,
): boolean {
  if (!areSymmetric(left, right, medium) || !BOUNDS.every((bound) => isBounded(left, right, bound))) return false;
  const own = Object.entries(right.keywords).filter(([keyword]) => !LEFT_OUT.has(keyword) && !isNote(keyword));
  return own.every(([keyword, values]) => values.every((value) => implies(left, keyword, value, right, medium, tests)));
}

function implies(
  left: LocatedAlternative,
  keyword: string,
  value: unknown,
  right: LocatedAlternative,
  medium: Medium,
  { isNarrower, isWider, isIn, isApart }: Tests,
): boolean {
  const own = left.keywords[keyword] ?? [];
  switch (keyword) {
    case "pattern":
      return own.includes(value);
    case "format":
      return own.some((format) => format === value || WIDER_FORMATS.has(`${String(format)} ${String(value)}`));
    case "multipleOf":
      return (
        own.some((step) => isMultipleOf(Number(step), Number(value))) ||
        (left.type === "integer" && Number.isInteger(1 / Number(value)))
      );
    case "uniqueItems":
      return own.length > 0 || itemsOf(left.keywords).max <= 1;
    case "required":
      return (value as string[]).every((name) => requiredOf(left.keywords).has(name));
    case "not":
      return (own as SchemaNode[]).some((not) => isWider(not, value as SchemaNode)) || isApart(value as SchemaNode);
    case "propertyNames":
      return (own as SchemaNode[]).some((names) => isNarrower(names, value as SchemaNode));
    case "unevaluatedItems":
      return own.some((rest) => isSameText(left, rest, right, value));
    case "unevaluatedProperties": {
      const { choices, schema, names } = value as Others;
      if (choices === undefined) return true; // compared with the fields
      return (own as Others[]).some(
        (each) =>
          isSameText(left, each.choices, right, choices) &&
          isNarrower(each.schema, schema, mediumBelow(medium, "fields")) &&
          each.names.every((name) => names.includes(name)),
      );
    }
    case "if": {
      const { if: condition, yes, no } = value as Condition;
      return (
        (own as Condition[]).some(
          (each) =>
            isNarrower(each.if, condition) &&
            isWider(each.if, condition) &&
            isNarrower(each.yes, yes) &&
            isNarrower(each.no, no),
        ) ||
        ((isApart(condition) || isIn(yes)) && (isIn(no) || isIn(condition)))
      );
    }
    case "contains": {
      const { contains, min, max } = value as Contained;
      const below = mediumBelow(medium, "items");
      return (own as Contained[]).some(
        (each) =>
          (min === 0 || (isNarrower(each.contains, contains, below) && each.min >= min)) &&
          (max === Infinity || (isWider(each.contains, contains, below) && each.max <= max)),
      );
    }
    case "dependentRequired":
      return Object.entries(value as Record<string, string[]>).every(([name, names]) => {
        const given = new Set([
          ...requiredOf(left.keywords),
          ...(own as Record<string, string[]>[]).flatMap((each) => each[name] ?? []),
        ]);
        return [names].flat().every((each) => given.has(each));
      });
    case "dependentSchemas":
      return Object.entries(value as Schemas).every(
        ([name, schema]) =>
          isIn(schema) || (own as Schemas[]).some((each) => each[name] !== undefined && isNarrower(each[name], schema)),
      );
    case "oneOf":
      return (
        (own as SchemaNode[][]).some((members) =>
          areSameMembers(members, value as SchemaNode[], isNarrower, isWider),
        ) || matchesOne(value as SchemaNode[], isIn, isApart)
      );
    default:
      return isSameText(left, own, right, right.keywords[keyword]); // `enum` and `const` of values that are not known
  }
}

function areSameMembers(left: SchemaNode[], right: SchemaNode[], isNarrower: Test, isWider: Test): boolean {
  if (left.length !== right.length) return false;
  const free = new Set(right);
  return left.every((member) => {
    const same = [...free].find((other) => isNarrower(member, other) && isWider(member, other));
    return same !== undefined && free.delete(same);
  });
}

function matchesOne(
  members: SchemaNode[],
  isIn: (schema: SchemaNode) => boolean,
  isApart: (schema: SchemaNode) => boolean,
) {
  const apart = members.filter(isApart);
  return apart.length === members.length - 1 && members.some((member) => !apart.includes(member) && isIn(member));
}
