import type { OpenApiDocument } from "openapi-document";
import { type Alternative, alternativesOf, type Keywords, keywordsOf, type SchemaNode } from "./alternatives.ts";
import { BOUNDS, tightest } from "./bounds.ts";
import { isAnything } from "./canonical.ts";
import { impliesKeywords, type Tests } from "./implications.ts";
import {
  finiteValues,
  isText,
  type Located,
  type LocatedAlternative,
  MAX_DEPTH,
  type Medium,
  mediumBelow,
  newProof,
  type Proof,
} from "./located.ts";
import { fieldsWithin, itemsOf, itemsWithin, objectOf, requiredOf } from "./parts.ts";
import { accept } from "./values.ts";

/** The answers so far, by the document of the first schema. */
const answers = new WeakMap<OpenApiDocument, Map<string, boolean>>();

function answersOf(document: OpenApiDocument): Map<string, boolean> {
  const found = answers.get(document) ?? new Map<string, boolean>();
  answers.set(document, found);
  return found;
}

const numbers = new WeakMap<OpenApiDocument, number>();
let lastNumber = 0;

function numberOf(document: OpenApiDocument): number {
  const number = numbers.get(document) ?? ++lastNumber;
  numbers.set(document, number);
  return number;
}

/**
 * Returns whether every value of the first schema is valid for the second. `false` may also mean that this cannot be proven.
 * `readOnly`, `writeOnly`, defaults and discriminators are left out.
 */
export function isWithin(left: Located, right: Located, medium: Medium): boolean {
  const proof = newProof();
  const holds = within(left, right, medium, proof);
  if (holds) for (const [id, document] of proof.assumed) answersOf(document).set(id.slice(id.indexOf(" ") + 1), true);
  return holds;
}

function within(left: Located, right: Located, medium: Medium, proof: Proof): boolean {
  if (isAnything(right.schema)) return true;
  const known = answersOf(left.document);
  const key = `${medium} ${numberOf(right.document)} ${JSON.stringify([left.schema, right.schema])}`;
  if (known.has(key)) return known.get(key)!;
  const id = `${numberOf(left.document)} ${key}`;
  if (proof.assumed.has(id)) return true;
  if (--proof.left < 0 || proof.depth >= MAX_DEPTH) return false;
  const before = proof.assumed.size;
  proof.assumed.set(id, left.document);
  proof.depth++;
  const alternatives = alternativesOf(left.document, left.schema);
  const holds =
    alternatives?.every((each) => isCovered({ ...each, document: left.document }, right, medium, proof)) ?? false;
  proof.depth--;
  if (!holds) {
    for (const assumed of [...proof.assumed.keys()].slice(before)) proof.assumed.delete(assumed); // proven by a wrong assumption
    known.set(key, false);
  }
  return holds;
}

const TYPES = ["string", "number", "boolean", "null", "array", "object"];

/** Whether a schema accepts every value of an alternative. */
function isCovered(left: LocatedAlternative, right: Located, medium: Medium, proof: Proof): boolean {
  const values = finiteValues(left);
  const keywords = keywordsOf(right.document, right.schema);
  if (values?.every((value) => accept(right.document, keywords, value, isText(medium)) === true)) return true;
  const alternatives = alternativesOf(right.document, right.schema) ?? [];
  if (alternatives.some((each) => isInside(left, { ...each, document: right.document }, medium, proof))) return true;
  if (left.type !== undefined || alternatives.length < 2) return false;
  return TYPES.every((type) => isCovered({ ...left, type }, right, medium, proof));
}

/** Whether every value of one alternative belongs to another. */
function isInside(left: LocatedAlternative, right: LocatedAlternative, medium: Medium, proof: Proof): boolean {
  if (medium === "exploded" || medium === "part")
    if (right.type === "array" && left.type !== "array" && left.type !== "object" && left.type !== undefined)
      return isItemOf(left, right, medium, proof);
  if (!isOfType(left, right, medium)) return false;
  const { type } = left;
  const isPartIn = (of: "fields" | "items") => (one: SchemaNode, other: SchemaNode) =>
    within({ ...left, schema: one }, { ...right, schema: other }, mediumBelow(medium, of), proof);
  if (type === undefined || type === "object")
    if (!fieldsWithin(objectOf(left.keywords), objectOf(right.keywords), isPartIn("fields"))) return false;
  if (type === undefined || type === "array")
    if (!itemsWithin(itemsOf(left.keywords), itemsOf(right.keywords), isPartIn("items"))) return false;
  return impliesKeywords(left, right, medium, testsOf(left, right, medium, proof));
}

/** A scalar is an array of one if each item of an array is sent apart. */
function isItemOf(left: LocatedAlternative, right: LocatedAlternative, medium: Medium, proof: Proof): boolean {
  const { minItems = [], maxItems = [], contains, oneOf, not } = right.keywords;
  if (contains ?? oneOf ?? not) return false;
  if ([...minItems, ...maxItems.map((max) => 2 - Number(max))].some((bound) => Number(bound) > 1)) return false;
  return isCovered(
    left,
    { document: right.document, schema: itemsOf(right.keywords).at(0) },
    mediumBelow(medium, "items"),
    proof,
  );
}

function isOfType(left: Alternative, right: Alternative, medium: Medium): boolean {
  if (right.type === undefined || right.type === left.type) return true;
  if (right.type === "number" && left.type === "integer") return true;
  if (right.type === "integer" && left.type === "number")
    return (left.keywords["multipleOf"] ?? []).some((step) => Number.isInteger(step));
  const isScalar = ["integer", "number", "boolean", "null"].includes(left.type ?? "");
  return isText(medium) && right.type === "string" && isScalar;
}

function testsOf(left: LocatedAlternative, right: LocatedAlternative, medium: Medium, proof: Proof): Tests {
  const located = ({ document }: LocatedAlternative, schema: unknown) => ({ document, schema: schema as SchemaNode });
  return {
    isNarrower: (one, other, below = medium) => within(located(left, one), located(right, other), below, proof),
    isWider: (one, other, below = medium) => within(located(right, other), located(left, one), below, proof),
    isIn: (schema) => isCovered(left, located(right, schema), medium, proof),
    isApart: (schema) => isDisjoint(left, located(right, schema), medium, proof),
  };
}

/** Returns whether no value is valid for two of the schemas. `false` may also mean that this cannot be proven. */
export function excludeEachOther(document: OpenApiDocument, schemas: SchemaNode[], medium: Medium): boolean {
  const proof = newProof();
  const isApart = (schema: SchemaNode, other: SchemaNode) =>
    areDisjointSchemas({ document, schema }, { document, schema: other }, medium, proof);
  return schemas.every((schema, at) => schemas.slice(at + 1).every((other) => isApart(schema, other)));
}

/** Whether no value of an alternative is valid for a schema. `false` may also mean that this cannot be proven. */
function isDisjoint(left: LocatedAlternative, right: Located, medium: Medium, proof: Proof): boolean {
  if (--proof.left < 0 || proof.depth >= MAX_DEPTH) return false;
  proof.depth++;
  const alternatives = alternativesOf(right.document, right.schema);
  const isApart =
    alternatives?.every((each) => areDisjoint(left, { ...each, document: right.document }, medium, proof)) ?? false;
  proof.depth--;
  return isApart;
}

function areDisjoint(left: LocatedAlternative, right: LocatedAlternative, medium: Medium, proof: Proof): boolean {
  for (const [one, other] of [
    [left, right],
    [right, left],
  ] as const) {
    const own = { ...other.keywords, ...(other.type !== undefined && { type: [other.type] }) };
    const { oneOf: _, ...keywords } = own as Keywords;
    const isRefused = (value: unknown) => accept(other.document, keywords, value, isText(medium)) === false;
    if (finiteValues(one)?.every(isRefused)) return true;
    if (
      (other.keywords["not"] ?? []).some((schema) =>
        isCovered(one, { document: other.document, schema: schema as SchemaNode }, medium, proof),
      )
    )
      return true;
  }
  const [type, otherType] = [left.type, right.type].map((each) => (each === "integer" ? "number" : each));
  if (type === undefined || otherType === undefined) return false;
  if (type !== otherType) return !isText(medium);
  if (BOUNDS.some((bound, at) => bound.sign === 1 && areApart(left, right, bound, BOUNDS[at + (at === 0 ? 1 : 3)]!)))
    return true;
  if (type !== "object") return false;
  const [one, other] = [objectOf(left.keywords), objectOf(right.keywords)];
  const shared = new Set([...requiredOf(left.keywords), ...requiredOf(right.keywords)]);
  const below = mediumBelow(medium, "fields");
  return [...shared].some((name) =>
    areDisjointSchemas(
      { document: left.document, schema: one.at(name) },
      { document: right.document, schema: other.at(name) },
      below,
      proof,
    ),
  );
}

function areApart(
  left: Alternative,
  right: Alternative,
  low: (typeof BOUNDS)[number],
  high: (typeof BOUNDS)[number],
): boolean {
  const isAbove = (one: Alternative, other: Alternative) => {
    const [least, most] = [tightest(one.keywords, low), tightest(other.keywords, high)];
    const gap = least.tightness + most.tightness; // the upper bound is negated
    return gap > 0 || (gap === 0 && (least.isExcluded || most.isExcluded));
  };
  return isAbove(left, right) || isAbove(right, left);
}

/** Whether no value is valid for both schemas. `false` may also mean that this cannot be proven. */
function areDisjointSchemas(left: Located, right: Located, medium: Medium, proof: Proof): boolean {
  const alternatives = alternativesOf(left.document, left.schema);
  return alternatives?.every((each) => isDisjoint({ ...each, document: left.document }, right, medium, proof)) ?? false;
}
