import { type OpenApiDocument, type Schema, boundsOf, typesOf, compilePattern } from "openapi-document";
import { exampleValue } from "../example/example-value.ts";

/** A value that violates a schema, and the violation. */
interface InvalidValue {
  title: string;
  value: unknown;
}

/** Longer texts and lists might be rejected for their size instead. */
const LARGEST = 4_000;

/** Returns obvious invalid values of an effective schema. Each violates one keyword, as far as possible. */
export function invalidValues(document: OpenApiDocument, schema: Schema): InvalidValue[] {
  const isListed = schema["enum"] !== undefined;
  return [
    ...(isListed ? [{ title: "not in the enum", value: "no-such-value" }] : []),
    ...wrongTypes(schema),
    ...invalidNumbers(schema),
    ...invalidTexts(schema),
    ...invalidLists(document, schema),
  ];
}

const OF_ANOTHER_TYPE = { integer: "abc", number: "abc", boolean: "maybe", string: 1, array: "abc", object: [] };

/**
 * Returns values of a wrong type. Schemas with several types get none, because one of the types might accept the value.
 */
function wrongTypes(schema: Schema): InvalidValue[] {
  const types = typesOf(schema);
  const [type] = types as (keyof typeof OF_ANOTHER_TYPE)[];
  if (types.length !== 1 || type === undefined || !Object.hasOwn(OF_ANOTHER_TYPE, type)) return [];
  const wrong = { title: "of the wrong type", value: OF_ANOTHER_TYPE[type] };
  return type === "integer" ? [wrong, { title: "with a fraction", value: 1.5 }] : [wrong];
}

function invalidNumbers(schema: Schema): InvalidValue[] {
  const { minimum, maximum, above, below } = boundsOf(schema);
  const values = [
    { title: "below its minimum", value: minimum === undefined ? undefined : minimum - 1 },
    { title: "above its maximum", value: maximum === undefined ? undefined : maximum + 1 },
    { title: "at its exclusive minimum", value: above },
    { title: "at its exclusive maximum", value: below },
  ];
  return values.filter(({ value }) => value !== undefined && Number.isSafeInteger(Math.trunc(value)));
}

function invalidTexts(schema: Schema): InvalidValue[] {
  const { minLength = 0, maxLength = Infinity } = schema as { minLength?: number; maxLength?: number };
  const values: InvalidValue[] = [];
  if (minLength > 0 && minLength <= LARGEST)
    values.push({ title: "shorter than allowed", value: "x".repeat(minLength - 1) });
  if (maxLength < LARGEST) values.push({ title: "longer than allowed", value: "x".repeat(maxLength + 1) });
  const length = Math.max(1, minLength);
  const mismatch = length <= Math.min(maxLength, LARGEST) ? mismatchOf(schema["pattern"], length) : undefined;
  if (mismatch !== undefined) values.push({ title: "not matching its pattern", value: mismatch });
  return values;
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

function invalidLists(document: OpenApiDocument, schema: Schema): InvalidValue[] {
  const { minItems = 0, maxItems = Infinity } = schema as { minItems?: number; maxItems?: number };
  const title = { fewer: "with fewer items than allowed", more: "with more items than allowed" };
  const list = (length: number) => {
    try {
      return Array.from({ length }, () => exampleValue(document, schema.items ?? {}, "an item"));
    } catch {
      return undefined; // without a valid item, a rejection would say nothing about the number of items
    }
  };
  const values = [
    { title: title.fewer, value: minItems > 0 && minItems <= LARGEST ? list(minItems - 1) : undefined },
    { title: title.more, value: maxItems < LARGEST ? list(maxItems + 1) : undefined },
  ];
  return values.filter(({ value }) => value !== undefined);
}
