import {
  type OpenApiDocument,
  type OperationEntry,
  operationsOf,
  readableDocument,
  type RequestBodyObject,
  resolve,
  type Schema,
  schemasInPlace,
  schemasOfParts,
  type Subschema,
} from "openapi-document";
import { expectKeywords } from "./schema-keywords.ts";

/** An operation whose requests cannot be validated, and the error that names the place in its schemas. */
export interface BrokenOperation {
  operationId: string;
  error: unknown;
}

/** Finds the operations of a document whose request schemas do not compile. It compiles nothing. */
export function findBrokenOperations(given: OpenApiDocument): BrokenOperation[] {
  const document = readableDocument(given);
  const errorOf = brokenOperationFinder(document);
  return operationsOf(document).flatMap((entry) => {
    const error = errorOf(entry);
    return error === undefined ? [] : [{ operationId: entry.id, error }];
  });
}

/**
 * Returns a function that returns the error for an operation whose request schemas do not compile, or whose validation
 * would never end. It compiles nothing, and skips the schemas of earlier operations without errors, so that its time is
 * linear in the document.
 */
export function brokenOperationFinder(document: OpenApiDocument): (entry: OperationEntry) => Error | undefined {
  const sound = new Set<Schema>();
  const finite = new Set<Schema>();
  return (entry) => {
    const reached = new Map<Schema, string>();
    const expectSound = (schema: Schema, at: string): void => {
      if (sound.has(schema) || reached.has(schema)) return;
      reached.set(schema, at);
      for (const below of partsOf(document, schema, at)) expectSound(below.schema, placeOf(below, at));
    };
    try {
      expectNames(entry);
      for (const [of, root] of requestSchemas(document, entry)) expectSound(root, of);
      for (const [schema, at] of reached) expectFinite(document, schema, at, finite);
    } catch (error) {
      return error as Error;
    }
    for (const schema of reached.keys()) sound.add(schema);
    return undefined;
  };
}

/** Returns the schemas of an operation's parameters and bodies, and the part of the request that each describes. */
export function requestSchemas(document: OpenApiDocument, entry: OperationEntry): [of: string, schema: Schema][] {
  const mediaTypes = (content: object = {}) => Object.values(content).map((media: { schema?: Schema }) => media.schema);
  const parameters = entry.parameters.flatMap(({ in: where, name, schema, content }) =>
    [schema, ...mediaTypes(content)].map((own) => [`${where} ${name}`, own] as const),
  );
  const { content } = resolve<RequestBodyObject>(document, entry.operation.requestBody ?? {});
  const bodies = mediaTypes(content).map((own) => ["body", own] as const);
  return [...parameters, ...bodies].flatMap(([of, schema]) => (schema === undefined ? [] : [[of, schema]]));
}

/** Throws for a parameter that is lost when it is assigned to an object. */
function expectNames({ parameters }: OperationEntry): void {
  for (const { in: location, name } of parameters)
    if (name === "__proto__")
      throw new Error(`${location} ${name}: This name cannot be validated. Choose another one.`);
}

/**
 * Throws for a schema that leads back to itself through keywords that validate the same value (JSON Schema 2020-12,
 * section 9.4.1). `finite` has the schemas that do not, and `path` those that lead to the schema.
 */
function expectFinite(
  document: OpenApiDocument,
  schema: Schema,
  at: string,
  finite: Set<Schema>,
  path = new Set<Schema>(),
): void {
  if (finite.has(schema)) return;
  if (path.has(schema))
    throw new Error(`${at}: The schema is applied to the same value again, without end. Break the cycle.`);
  path.add(schema);
  for (const below of schemasInPlace(document, schema))
    expectFinite(document, below.schema, placeOf(below, at), finite, path);
  path.delete(schema);
  finite.add(schema);
}

function placeOf({ keyword, name }: Subschema, at: string): string {
  if (keyword === "$ref") return at;
  return `${at}/${keyword}${name === "" ? "" : `/${name}`}`;
}

/** Returns the direct subschemas of a schema. Throws an error that names the place of an invalid keyword. */
function partsOf(document: OpenApiDocument, schema: Schema, at: string): Subschema[] {
  if (typeof schema !== "object") return []; // `true` and `false` are schemas of JSON Schema 2020-12
  try {
    const isOpenApi30 = document.openapi.startsWith("3.0.");
    if (typeof schema.$ref !== "string" || !isOpenApi30) expectKeywords(schema, isOpenApi30);
    return [...schemasInPlace(document, schema), ...schemasOfParts(document, schema)];
  } catch (error) {
    throw new Error(`${at}: ${(error as Error).message}`, { cause: error });
  }
}
