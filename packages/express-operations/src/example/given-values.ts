import { isDeepStrictEqual } from "node:util";
import {
  effectiveSchema,
  type ExampleObject,
  type OpenApiDocument,
  resolve,
  type Schema,
  typeOf,
  typesOf,
} from "openapi-document";

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

/** Returns the values that a schema gives: examples and the default, then those it lists. The fitting ones come first. */
export function givenValues(document: OpenApiDocument, schema: Schema): unknown[] {
  const examples = Array.isArray(schema["examples"]) ? (schema["examples"] as unknown[]) : [];
  const given = [schema["example"], ...examples, schema["default"]].filter((value) => value != null);
  const listed = listedValues(schema);
  const parsed = given.map((value) => parsedExample(document, schema, value));
  const isListed = (value: unknown) => listed?.some((each) => isDeepStrictEqual(each, value)) !== false;
  const values = [...parsed.filter(isListed), ...(listed ?? [])];
  return [...new Set([...values.filter((value) => fits(schema, value)), ...values])];
}

/** Returns the only values that a schema allows by `const` or `enum`, null last; undefined if it lists none. */
export function listedValues(schema: Schema): unknown[] | undefined {
  if ("const" in schema) return [schema["const"]];
  if (!Array.isArray(schema["enum"])) return undefined;
  const values = schema["enum"] as unknown[];
  return [...values.filter((value) => value !== null), ...values.filter((value) => value === null)];
}

function fits(schema: Schema, value: unknown): boolean {
  const types = typesOf(schema);
  const type = typeOf(value);
  if (types.length > 0 && !types.includes(type) && !(type === "integer" && types.includes("number"))) return false;
  return typeof value !== "string" || value.length >= Number(schema["minLength"] ?? 0);
}
