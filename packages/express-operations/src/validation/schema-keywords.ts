import { type Schema, isRecord, compilePattern } from "openapi-document";
import { expectValidated } from "../eov/excerpt.ts";

const TYPES = new Set(["null", "boolean", "object", "array", "number", "integer", "string"]);

/** Keywords by the kind of their values. ajv rejects other values, or ignores them. */
const KEYWORDS = {
  string: "$ref $dynamicRef pattern format",
  number:
    "minimum maximum multipleOf minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains",
  boolean: "uniqueItems",
  list: "enum allOf anyOf oneOf prefixItems",
  "list of strings": "required",
  object: "properties patternProperties dependentSchemas dependentRequired",
  schema: "items additionalProperties not if then else contains propertyNames unevaluatedItems unevaluatedProperties",
};
const IS: Record<keyof typeof KEYWORDS, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  list: Array.isArray,
  "list of strings": isListOfStrings,
  object: isRecord,
  schema: (value) => isRecord(value) || typeof value === "boolean",
};
const KINDS = Object.entries(KEYWORDS).flatMap(([kind, keywords]) =>
  keywords.split(" ").map((keyword) => [keyword, kind as keyof typeof KEYWORDS] as const),
);
/** Keywords whose value is a list or an object of schemas. */
const OF_SCHEMAS = ["allOf", "anyOf", "oneOf", "prefixItems", "properties", "patternProperties", "dependentSchemas"];
const EXCLUSIVE = { exclusiveMinimum: "minimum", exclusiveMaximum: "maximum" };

/** Throws for the keywords of a schema that ajv does not compile. The error names the keyword. */
export function expectKeywords(schema: Schema, isOpenApi30: boolean): void {
  for (const [keyword, kind] of KINDS) expectKind(schema, keyword, kind);
  for (const keyword of OF_SCHEMAS)
    for (const [name, member] of Object.entries(schema[keyword] ?? {}))
      if (!IS.schema(member)) throw new Error(`The value of ${keyword}/${name} must be a schema.`);
  for (const [name, fields] of Object.entries(schema["dependentRequired"] ?? {}))
    if (!isListOfStrings(fields)) throw new Error(`The value of dependentRequired/${name} must be a list of strings.`);
  for (const [keyword, bound] of Object.entries(EXCLUSIVE)) {
    expectKind(schema, keyword, isOpenApi30 ? "boolean" : "number");
    if (isOpenApi30 && schema[keyword] !== undefined && schema[bound] === undefined)
      throw new Error(`${keyword} needs ${bound} beside it in OpenAPI 3.0.`);
  }
  if ((schema["enum"] as unknown[] | undefined)?.length === 0) throw new Error("The list of enum must not be empty.");
  expectValidated(schema, false);
  expectValidated(schema["properties"] ?? {}, true);
  expectTypes(schema);
  if (typeof schema["pattern"] === "string") compilePattern(schema["pattern"]);
  for (const pattern of Object.keys(schema["patternProperties"] ?? {})) compilePattern(pattern);
}

function expectTypes(schema: Schema): void {
  if (schema.type === undefined) return;
  for (const type of [schema.type].flat())
    if (!TYPES.has(type)) throw new Error(`${JSON.stringify(type)} is not a type of JSON Schema.`);
  expectKind(schema, "nullable", "boolean");
}

function expectKind(schema: Schema, keyword: string, kind: keyof typeof KEYWORDS): void {
  if (schema[keyword] !== undefined && !IS[kind](schema[keyword]))
    throw new Error(`The value of ${keyword} must be ${kind === "object" ? "an" : "a"} ${kind}.`);
}

function isListOfStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
