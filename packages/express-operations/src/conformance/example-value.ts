import { compilePattern } from "../document/pattern.ts";
import { textMatching } from "./example-text.ts";
import type { ExampleObject, OpenApiDocument, Schema } from "../document/document.ts";
import { resolve } from "../document/document.ts";
import {
  boundsOf,
  effectiveSchema,
  isReadOnly,
  isRecord,
  propertiesOf,
  requiredOf,
  typesOf,
} from "../document/effective-schema.ts";

/**
 * Returns a valid value of a schema for a request: its example, its default, the first of its enum, or the smallest
 * that it allows.
 */
export function exampleValue(document: OpenApiDocument, node: Schema, where: string): unknown {
  const schema = effectiveSchema(document, node);
  const given = parsedExample(document, schema, givenValue(schema));
  const { oneOf, anyOf, ...rest } = schema;
  const [member] = (oneOf ?? anyOf ?? []) as Schema[];
  if (given === undefined && member !== undefined) return exampleValue(document, { allOf: [rest, member] }, where);
  if (isRecord(given)) return exampleObject(document, schema, given, where);
  if (given !== undefined) return given;
  switch (typesOf(schema).find((type) => type !== "null") ?? (schema["properties"] && "object")) {
    case "integer":
    case "number":
      return exampleNumber(schema, where);
    case "boolean":
      return true;
    case "array":
      return exampleArray(document, schema, where);
    case "object":
      return exampleObject(document, schema, {}, where);
    default:
      return exampleString(schema, where);
  }
}

/** Returns the value of the first example. */
export function firstExample(document: OpenApiDocument, examples: Record<string, ExampleObject> | undefined): unknown {
  const [first] = Object.values(examples ?? {});
  return first === undefined ? undefined : exampleIn(resolve<ExampleObject>(document, first));
}

function exampleIn({ value, dataValue }: ExampleObject): unknown {
  return value ?? dataValue;
}

/** Returns an example. Parses the example of an object or a list if the document gives it as JSON text. */
export function parsedExample(document: OpenApiDocument, node: Schema | undefined, example: unknown): unknown {
  if (typeof example !== "string" || !/^\s*[[{]/.test(example)) return example;
  const types = typesOf(effectiveSchema(document, node));
  if (types.includes("string") || !(types.includes("object") || types.includes("array"))) return example;
  try {
    return JSON.parse(example);
  } catch {
    return example;
  }
}

/** Returns a value without its `readOnly` fields. */
export function withoutReadOnly(document: OpenApiDocument, node: Schema | undefined, value: unknown): unknown {
  const schema = effectiveSchema(document, node);
  if (Array.isArray(value)) return value.map((item) => withoutReadOnly(document, schema.items, item));
  if (!isRecord(value)) return value;
  const fields = propertiesOf(schema);
  const kept = Object.entries(value).filter(([name]) => !isReadOnly(document, fields[name]));
  return Object.fromEntries(kept.map(([name, field]) => [name, withoutReadOnly(document, fields[name], field)]));
}

/** Returns the first given value that is long enough, or else the first one. */
function givenValue(schema: Schema): unknown {
  const listIn = (keyword: string) => (Array.isArray(schema[keyword]) ? (schema[keyword] as unknown[]) : []);
  const values = [schema["example"], listIn("examples")[0], schema["default"], schema["const"], ...listIn("enum")];
  const given = values.filter((value) => value != null);
  const isLongEnough = (value: unknown) =>
    typeof value !== "string" || value.length >= Number(schema["minLength"] ?? 0);
  return given.find(isLongEnough) ?? given[0] ?? listIn("enum")[0];
}

/** Adds the required fields that the examples of `allOf` members leave out. */
function exampleObject(document: OpenApiDocument, schema: Schema, given: object, where: string): object {
  const fields = propertiesOf(schema);
  const required = requiredOf(document, schema).filter((name) => !Object.hasOwn(given, name));
  const lacking = Number(schema["minProperties"] ?? 0) - required.length - Object.keys(given).length;
  const optional = Object.keys(fields).filter(
    (name) => !required.includes(name) && !Object.hasOwn(given, name) && !isReadOnly(document, fields[name]),
  );
  const others = schema["additionalProperties"] ?? {};
  const unnamed = Array.from({ length: Math.max(0, lacking - optional.length) }, (_, at) => `x${at}`);
  if (unnamed.length > 0 && others === false) throw new NoExampleError(where);
  const names = [...required, ...optional.slice(0, Math.max(0, lacking)), ...unnamed];
  const schemaOf = (name: string) => fields[name] ?? (typeof others === "object" ? (others as Schema) : {});
  return {
    ...given,
    ...Object.fromEntries(names.map((name) => [name, exampleValue(document, schemaOf(name), where)])),
  };
}

function exampleArray(document: OpenApiDocument, schema: Schema, where: string): unknown[] {
  const count = Number(schema["minItems"] ?? 0);
  if (count === 0) return [];
  const listed = (effectiveSchema(document, schema.items)["enum"] ?? []) as unknown[];
  if (schema["uniqueItems"] !== true || count === 1) {
    return Array.from({ length: count }, () => exampleValue(document, schema.items ?? {}, where));
  }
  if (listed.length < count) throw new NoExampleError(where);
  return listed.slice(0, count);
}

function exampleNumber(schema: Schema, where: string): number {
  const { minimum = -Infinity, maximum = Infinity, above = -Infinity, below = Infinity } = boundsOf(schema);
  const step = Number(schema["multipleOf"] ?? (typesOf(schema).includes("number") ? 0 : 1));
  const candidates = [minimum, maximum, 1, above + 1, below - 1, (above + below) / 2];
  if (step > 0) candidates.push(Math.ceil(minimum / step) * step, (Math.floor(above / step) + 1) * step, step);
  const valid = candidates.find(
    (value) =>
      Number.isFinite(value) &&
      (step === 0 || value % step === 0) &&
      value >= minimum &&
      value <= maximum &&
      value > above &&
      value < below,
  );
  if (valid === undefined) throw new NoExampleError(where);
  return valid;
}

function exampleString(schema: Schema, where: string): string {
  const { format = "", pattern, minLength, maxLength = Infinity } = schema as StringSchema;
  const ofFormat = FORMATS[format];
  const isAllowed = (text: string) => text.length >= (minLength ?? 0) && text.length <= maxLength;
  if (ofFormat !== undefined) {
    if (isAllowed(ofFormat) && (pattern === undefined || compilePattern(pattern).test(ofFormat))) return ofFormat;
    throw new NoExampleError(where);
  }
  if (pattern === undefined) return "x".repeat(minLength ?? 1);
  const text = textMatching(pattern, minLength ?? 1, maxLength);
  if (text === undefined && minLength === undefined && compilePattern(pattern).test("")) return "";
  if (text === undefined) throw new NoExampleError(where);
  return text;
}

interface StringSchema {
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
}

/** A value of each format that validation knows. */
const FORMATS: Record<string, string | undefined> = {
  byte: "eA==",
  date: "2000-01-01",
  "date-time": "2000-01-01T00:00:00Z",
  duration: "P1D",
  email: "x@example.com",
  hostname: "example.com",
  "idn-email": "x@example.com",
  "idn-hostname": "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  iri: "https://example.com/",
  "iri-reference": "/x",
  "json-pointer": "/x",
  regex: "x",
  "relative-json-pointer": "0",
  time: "00:00:00Z",
  uri: "https://example.com/",
  "uri-reference": "/x",
  "uri-template": "/{x}",
  url: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

/** A value of a schema is needed, but the document has no example and none was found. */
export class NoExampleError extends Error {
  override name = "NoExampleError";

  constructor(where: string) {
    super(`The document gives no example for ${where}: add one.`);
  }
}
