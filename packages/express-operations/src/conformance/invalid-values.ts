import { boundsOf, compilePattern, type OpenApiDocument, type Schema, typesOf } from "openapi-document";
import { exampleValue } from "../example/example-value.ts";

/** Longer texts and lists might be rejected for their size instead. */
const LARGEST = 4_000;

/** Schemas with several types get none of these values, because one of the types might accept the value. */
const OF_ANOTHER_TYPE = { integer: "abc", number: "abc", boolean: "maybe", string: 1, array: "abc", object: [] };

/** The keywords of sizes. */
interface Sizes {
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

/** Returns obvious invalid values of an effective schema. Each violates one keyword, as far as possible. */
export function invalidValues(document: OpenApiDocument, schema: Schema): { title: string; value: unknown }[] {
  const [type, ...others] = typesOf(schema) as (keyof typeof OF_ANOTHER_TYPE)[];
  const only = type !== undefined && others.length === 0 && Object.hasOwn(OF_ANOTHER_TYPE, type) ? type : undefined;
  const { minimum, maximum, above, below } = boundsOf(schema);
  const { minLength = 0, maxLength = Infinity, minItems = 0, maxItems = Infinity } = schema as Sizes;
  const number = (value = Infinity) => (Number.isSafeInteger(Math.trunc(value)) ? value : undefined);
  const text = (length: number) => (length >= 0 && length <= LARGEST ? "x".repeat(length) : undefined);
  const list = (length: number) => (length >= 0 && length <= LARGEST ? listOf(document, schema, length) : undefined);
  const patternLength = Math.max(1, minLength);
  const isShort = patternLength <= Math.min(maxLength, LARGEST);
  const values: [title: string, value: unknown][] = [
    ["not in the enum", schema["enum"] && "no-such-value"],
    ["of the wrong type", only && OF_ANOTHER_TYPE[only]],
    ["with a fraction", only === "integer" ? 1.5 : undefined],
    ["below its minimum", minimum === undefined ? undefined : number(minimum - 1)],
    ["above its maximum", maximum === undefined ? undefined : number(maximum + 1)],
    ["at its exclusive minimum", number(above)],
    ["at its exclusive maximum", number(below)],
    ["shorter than allowed", text(minLength - 1)],
    ["longer than allowed", text(maxLength + 1)],
    ["not matching its pattern", isShort ? mismatchOf(schema["pattern"], patternLength) : undefined],
    ["with fewer items than allowed", list(minItems - 1)],
    ["with more items than allowed", list(maxItems + 1)],
  ];
  return values.flatMap(([title, value]) => (value === undefined ? [] : { title, value }));
}

/** Returns a repeated character that does not match a pattern, or undefined if none of a few does. */
function mismatchOf(pattern: unknown, length: number): string | undefined {
  if (typeof pattern !== "string") return undefined;
  try {
    const expression = compilePattern(pattern);
    return ["!", "~", "0", "x", "A", "\u0007"].map((one) => one.repeat(length)).find((text) => !expression.test(text));
  } catch {
    return undefined; // the pattern is not valid in ECMA-262
  }
}

/** Without a valid item, a rejection would say nothing about the number of items. */
function listOf(document: OpenApiDocument, schema: Schema, length: number): unknown[] | undefined {
  try {
    return Array.from({ length }, () => exampleValue(document, schema.items ?? {}, "an item"));
  } catch {
    return undefined;
  }
}
