import { type Schema, propertiesOf } from "openapi-document";
import { namesOfFields } from "./declared-names.ts";
import type { Fault } from "../eov/eov.ts";
import { listOf, nameList, oneOf } from "../lists.ts";
import { describePattern } from "./pattern-words.ts";
import { printable } from "../problem.ts";
import { isInexactNumber, numberFault } from "./values.ts";

/** The longest quotation from a description, in characters. */
const MAX_QUOTED_LENGTH = 200;
/** The most values that a message lists. */
const MAX_VALUES = 100;

/** The parameters of keywords in ajv's errors. */
interface KeywordParams {
  type: string | string[] | undefined;
  allowedValues: unknown[] | undefined;
  allowedValue: unknown;
  comparison: string;
  limit: number;
  len: number | undefined;
  minContains: number | undefined;
  maxContains: number | undefined;
  pattern: string;
  format: string;
  /** The members of `oneOf` that accept the value, if there are several. */
  passingSchemas: number[] | null | undefined;
  /** The fields of which a member of the choice requires one each. */
  fields: string[] | undefined;
  property: string;
}

type PredicateOf = (asked: KeywordParams, fault: Fault) => string;

/** The predicate for each JSON Schema keyword. */
const PREDICATES: Record<string, PredicateOf> = {
  type: ({ type, allowedValues }, { schema, location, value }) => {
    if (location !== "body" && Array.isArray(value) && !schema.type?.includes("array"))
      return "must be given only once";
    if (location !== "body" && typeof value === "string" && (type === "integer" || type === "number"))
      return numberFault(value, type, schema);
    if (type === "number" && typeof value === "string" && isInexactNumber(value))
      return "must be a number that can be represented exactly. Send one with fewer digits";
    const types = [type ?? schema["x-eov-type"]].flat().map((name) => TYPES[name as string] ?? String(name));
    if (allowedValues !== undefined) return `must be ${listOf([...unique(types), valueList(allowedValues)], "or")}`;
    return Array.isArray(schema.enum) ? allowed(schema.enum) : `must be ${listOf(unique(types), "or")}`;
  },
  enum: ({ allowedValues }) => allowed(allowedValues!),
  const: ({ allowedValue }) => allowed([allowedValue]),
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: (_, { schema }) => `must be a multiple of ${String(schema["multipleOf"])}`,
  minLength: size("Length", "character"),
  maxLength: size("Length", "character"),
  minItems: size("Items", "item"),
  maxItems: size("Items", "item"),
  minProperties: size("Properties", "field"),
  maxProperties: size("Properties", "field"),
  items: tooManyItems,
  additionalItems: tooManyItems,
  unevaluatedItems: tooManyItems,
  uniqueItems: () => "must not contain the same item twice",
  contains: ({ minContains = 1, maxContains }) => {
    const items =
      maxContains === undefined
        ? `at least ${counted(minContains, "item")}`
        : `from ${minContains} to ${counted(maxContains, "item")}`;
    return `must contain ${items} of the kind that the API description requires`;
  },
  pattern: ({ pattern }, { schema, value }) =>
    value === "" ? "must not be empty" : (describePattern(pattern) ?? inForm("the form", schema)),
  format: ({ format }) => `must be ${FORMATS[format] ?? `a valid ${printable(format) ?? "value"}`}`,
  required: () => "is required",
  dependentRequired: dependent,
  dependencies: dependent,
  additionalProperties: unknownField,
  unevaluatedProperties: unknownField,
  readOnly: () => "is set by the service alone. Leave it out",
  not: (_, { schema }) => `has a value that the API description excludes${quoted(schema["description"])}`,
  anyOf: choice,
  oneOf: choice,
};
PREDICATES["x-eov-type"] = PREDICATES["type"]!;

const TYPES: Record<string, string> = {
  string: "a string",
  number: "a number",
  integer: "an integer",
  boolean: "true or false",
  array: "an array",
  object: "an object",
};

const FORMATS: Record<string, string> = {
  date: "a date, such as 2026-01-31",
  "date-time": "a date and time with its offset from UTC, such as 2026-01-31T12:00:00Z",
  time: "a time with its offset from UTC, such as 12:00:00Z",
  "iso-date-time": "a date and time, such as 2026-01-31T12:00:00",
  "iso-time": "a time, such as 12:00:00",
  duration: "a duration, such as P1DT2H",
  email: "an e-mail address",
  hostname: "a host name",
  ipv4: "an IPv4 address, such as 192.0.2.1",
  ipv6: "an IPv6 address, such as 2001:db8::1",
  uri: "a URI with its scheme, such as https://example.com/a",
  url: "a URL that begins with http://, https:// or ftp://",
  "uri-reference": "a URI or a reference to one, such as /a/b",
  "uri-template": "a URI template, such as /a/{b}",
  uuid: "a UUID, such as 8f3f6f0e-5d0c-4a53-9f0a-0a8f3c1c7f8e",
  regex: "a regular expression",
  "json-pointer": "a JSON Pointer, such as /a/0",
  "json-pointer-uri-fragment": "a JSON Pointer as a URI fragment, such as #/a/0",
  "relative-json-pointer": "a relative JSON Pointer, such as 1/a",
  byte: "Base64",
  int32: "an integer from -2147483648 to 2147483647",
  int64: `an integer from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`,
  float: "a number",
  double: "a number",
};

/** Returns the problem of a value and its remedy, as the end of a sentence that begins with the value's location. */
export function predicateOf(fault: Fault): string {
  const predicateFor = PREDICATES[fault.keyword] ?? (() => "does not match the API description");
  const predicate =
    fault.message?.slice(0, MAX_QUOTED_LENGTH) ?? predicateFor(fault.params as unknown as KeywordParams, fault);
  return fault.fieldName === undefined ? predicate : `has a field whose name ${predicate}`;
}

function number({ comparison, limit }: KeywordParams, { schema }: Fault): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema as Record<string, unknown>;
  const isRange = typeof minimum === "number" && typeof maximum === "number" && !exclusiveMinimum && !exclusiveMaximum;
  if (isRange) return `must be from ${minimum} to ${maximum}`;
  return `must be ${COMPARISONS[comparison]} ${String(limit)}`;
}

const COMPARISONS: Record<string, string> = { ">=": "at least", "<=": "at most", ">": "more than", "<": "less than" };

function size(name: "Length" | "Items" | "Properties", unit: string): PredicateOf {
  return (_, { schema }) => {
    const { [`min${name}`]: least, [`max${name}`]: most } = schema as Record<string, number | undefined>;
    if (least === undefined) return `must have at most ${counted(most!, unit)}`;
    if (most === undefined) return `must have at least ${counted(least, unit)}`;
    return least === most
      ? `must have exactly ${counted(most, unit)}`
      : `must have from ${least} to ${counted(most, unit)}`;
  };
}

function tooManyItems({ len, limit }: KeywordParams): string {
  return `must have at most ${counted(len ?? limit ?? 0, "item")}`;
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

function choice({ passingSchemas, fields }: KeywordParams, { schema }: Fault): string {
  if (passingSchemas) return "must match only one of the forms in the API description, but matches several";
  return fields ? `must have one of the fields: ${nameList(fields)}` : inForm("one of the forms", schema);
}

function dependent({ property }: KeywordParams): string {
  const known = printable(property, true);
  return `is required beside ${known === undefined ? "another field" : JSON.stringify(known)}`;
}

/** `additionalProperties` knows the fields of its own schema only. `unevaluatedProperties` knows those of subschemas too. */
function unknownField(_: unknown, { keyword, schema, context }: Fault): string {
  const own = keyword === "additionalProperties" ? { properties: propertiesOf(schema) } : schema;
  const names = context ? namesOfFields(context.document, own) : Object.keys(propertiesOf(own));
  return names.length === 0 ? "is not known" : `is not known. The fields are: ${nameList(names)}`;
}

function allowed(values: unknown[]): string {
  return `must be ${valueList(values)}`;
}

function valueList(values: unknown[]): string {
  const areWords = values.length > 1 && values.every((value) => typeof value === "string"); // otherwise 1 and "1" would look the same
  const shown = values.slice(0, MAX_VALUES).map((value) => {
    return areWords && /^[\w.-]+$/.test(value as string) ? (value as string) : JSON.stringify(value);
  });
  return oneOf(shown, values.length);
}

function inForm(form: string, { description }: Schema): string {
  return `must have ${form} that the API description gives${quoted(description)}`;
}

/** Returns the first sentence of a description if it is short. */
function quoted(description: unknown): string {
  const [sentence = ""] =
    typeof description === "string"
      ? (/^.*?(?=\.(?:\s|$)|\n|$)/s.exec(description.trim().slice(0, MAX_QUOTED_LENGTH)) ?? [])
      : [];
  return sentence === "" ? "" : `: ${sentence}`;
}

function unique<Item>(items: Item[]): Item[] {
  return [...new Set(items)];
}
