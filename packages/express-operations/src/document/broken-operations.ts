import { setImmediate } from "node:timers/promises";
import { requestSchemas } from "./costly-schemas.ts";
import type { OpenApiDocument, OperationEntry, Schema } from "./document.ts";
import { isRecord } from "./effective-schema.ts";
import { expectValidated } from "./excerpt.ts";
import { compilePattern } from "./pattern.ts";
import { schemasInPlace, schemasOfParts } from "./schema-walk.ts";

/** An operation whose requests cannot be validated, and the error that names the place in its schemas. */
export interface BrokenOperation {
  operationId: string;
  error: unknown;
}

/** The most operations that a warning lists. */
const NAMED = 20;

/**
 * Finds the operations whose request schemas do not compile, and warns of them. The search runs after the start, one
 * operation per turn of the event loop, so that a large document does not delay the first response.
 */
export async function warnOfBrokenOperations(
  document: OpenApiDocument,
  entries: OperationEntry[],
): Promise<BrokenOperation[]> {
  const errorOf = brokenOperationFinder(document);
  const broken: BrokenOperation[] = [];
  for (const entry of entries) {
    await setImmediate();
    const error = errorOf(entry);
    if (error !== undefined) broken.push({ operationId: entry.id, error });
  }
  if (broken.length === 0) return [];
  const lines = broken.slice(0, NAMED).map(({ operationId, error }) => `- ${operationId}, ${(error as Error).message}`);
  if (broken.length > NAMED) lines.push(`- and ${broken.length - NAMED} more`);
  const title = "These operations cannot be served, because their schemas are invalid:";
  process.emitWarning([title, ...lines].join("\n"), { code: "INVALID_SCHEMA" });
  return broken;
}

/**
 * Returns a function that returns the error for an operation whose request schemas do not compile. It compiles nothing,
 * and skips the schemas of earlier operations without errors, so that its time is linear in the document.
 */
export function brokenOperationFinder(document: OpenApiDocument): (entry: OperationEntry) => Error | undefined {
  const sound = new Set<Schema>();
  return (entry) => {
    const reached = new Set<Schema>();
    const expectSound = (schema: Schema, at: string): void => {
      if (sound.has(schema) || reached.has(schema)) return;
      reached.add(schema);
      for (const { keyword, name, schema: below } of partsOf(document, schema, at))
        expectSound(below, keyword === "$ref" ? at : `${at}/${keyword}${name === "" ? "" : `/${name}`}`);
    };
    try {
      for (const [of, root] of requestSchemas(document, entry)) expectSound(root, of);
    } catch (error) {
      return error as Error;
    }
    for (const schema of reached) sound.add(schema);
    return undefined;
  };
}

/** Returns the direct subschemas of a schema. Throws an error that names the place of an invalid keyword. */
function partsOf(document: OpenApiDocument, schema: Schema, at: string) {
  if (typeof schema !== "object") return []; // `true` and `false` are schemas of JSON Schema 2020-12
  try {
    const isOpenApi30 = document.openapi.startsWith("3.0.");
    if (typeof schema.$ref !== "string" || !isOpenApi30) expectKeywords(schema, isOpenApi30);
    return [...schemasInPlace(document, schema), ...schemasOfParts(document, schema)];
  } catch (error) {
    throw new Error(`${at}: ${(error as Error).message}`, { cause: error });
  }
}

const TYPES = new Set(["null", "boolean", "object", "array", "number", "integer", "string"]);
/** Keywords by the kind of their values. ajv rejects other values. */
const KEYWORDS = {
  string: "$ref $dynamicRef pattern format",
  number:
    "minimum maximum multipleOf minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains",
  boolean: "uniqueItems",
  list: "required enum allOf anyOf oneOf prefixItems",
  object: "properties patternProperties dependentSchemas dependentRequired",
  schema: "items additionalProperties not if then else contains propertyNames unevaluatedItems unevaluatedProperties",
};
const IS: Record<keyof typeof KEYWORDS, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  list: Array.isArray,
  object: isRecord,
  schema: (value) => isRecord(value) || typeof value === "boolean",
};
const KINDS = Object.entries(KEYWORDS).flatMap(([kind, keywords]) =>
  keywords.split(" ").map((keyword) => [keyword, kind as keyof typeof KEYWORDS] as const),
);
const EXCLUSIVE = { exclusiveMinimum: "minimum", exclusiveMaximum: "maximum" };

/** Throws for the keywords of a schema that ajv does not compile. */
function expectKeywords(schema: Schema, isOpenApi30: boolean): void {
  for (const [keyword, kind] of KINDS) expectKind(schema, keyword, kind);
  for (const [keyword, bound] of Object.entries(EXCLUSIVE)) {
    expectKind(schema, keyword, isOpenApi30 ? "boolean" : "number");
    if (isOpenApi30 && schema[keyword] !== undefined && schema[bound] === undefined)
      throw new Error(`${keyword} needs ${bound} beside it in OpenAPI 3.0.`);
  }
  if ((schema["enum"] as unknown[] | undefined)?.length === 0) throw new Error("The list of enum must not be empty.");
  expectValidated(schema, false);
  expectValidated(schema["properties"] ?? {}, true);
  for (const type of [schema.type ?? []].flat()) {
    if (!TYPES.has(type)) throw new Error(`${JSON.stringify(type)} is not a type of JSON Schema.`);
  }
  if (typeof schema["pattern"] === "string") compilePattern(schema["pattern"]);
  for (const pattern of Object.keys(schema["patternProperties"] ?? {})) compilePattern(pattern);
}

function expectKind(schema: Schema, keyword: string, kind: keyof typeof KEYWORDS): void {
  if (schema[keyword] !== undefined && !IS[kind](schema[keyword]))
    throw new Error(`The value of ${keyword} must be ${kind === "object" ? "an" : "a"} ${kind}.`);
}
