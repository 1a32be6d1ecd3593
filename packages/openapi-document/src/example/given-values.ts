import type { ExampleObject, OpenApiDocument, Schema } from "../objects.ts";
import { resolve } from "../references.ts";
import { effectiveSchema, mayBe, typesOf, valuesOf } from "../schema/effective-schema.ts";

/** Returns the example of a parameter or a body; undefined if it has none. */
export function givenExample(
  document: OpenApiDocument,
  { example, examples = {} }: { example?: unknown; examples?: Record<string, ExampleObject> },
): unknown {
  const [first] = Object.values(examples);
  if (example != null || first === undefined) return example;
  const { value, dataValue } = resolve<ExampleObject>(document, first);
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
  const isListed = (value: unknown) => listed?.some((each) => JSON.stringify(each) === JSON.stringify(value)) !== false;
  const values = [...parsed.filter(isListed), ...(listed ?? [])];
  return [...new Set([...values.filter((value) => fits(schema, value)), ...values])];
}

/** Returns the only values that a schema allows by `const` or `enum`, null last; undefined if it lists none. */
export function listedValues(schema: Schema): unknown[] | undefined {
  const values: unknown = valuesOf(schema);
  return Array.isArray(values)
    ? values.toSorted((one, other) => Number(one === null) - Number(other === null))
    : undefined;
}

function fits({ type, nullable, minLength = 0 }: Schema, value: unknown): boolean {
  const isTyped = mayBe({ ...(type !== undefined && { type }), nullable }, value); // not compared with all listed values
  return isTyped && !(typeof value === "string" && value.length < Number(minLength));
}
