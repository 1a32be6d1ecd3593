import {
  compilerOf,
  type MediaTypeObject,
  type OpenApiDocument,
  type OperationEntry,
  type Reference,
  resolve,
  type ResponseObject,
  type Schema,
  schemasBelow,
} from "openapi-document";
import { requestSchemas } from "./broken-operations.ts";

/** Throws, naming the place, for a pattern that the compiler of a document cannot run. */
export function expectPatterns(document: OpenApiDocument, entries: OperationEntry[]): void {
  const compile = compilerOf(document);
  if (compile === undefined) return;
  const seen = new Set<Schema>();
  for (const entry of entries)
    for (const [at, source] of patternsOf(document, entry, seen))
      try {
        compile(source);
      } catch (cause) {
        const reason = (cause as Error).message;
        throw new Error(`${at}: The pattern ${source} cannot be compiled. ${reason}`, { cause });
      }
}

function patternsOf(
  document: OpenApiDocument,
  entry: OperationEntry,
  seen: Set<Schema>,
): [at: string, source: string][] {
  const found: [string, string][] = [];
  try {
    for (const [of, root] of [...requestSchemas(document, entry), ...responseSchemas(document, entry)])
      for (const [at, { pattern, patternProperties }] of schemasBelow(document, root, "", seen))
        for (const source of [pattern, ...Object.keys(patternProperties ?? {})])
          if (typeof source === "string") found.push([`${entry.id}, ${of}${at}`, source]);
  } catch {
    // `findBrokenOperations` finds the reference that cannot be resolved
  }
  return found;
}

function responseSchemas(document: OpenApiDocument, { operation }: OperationEntry): [of: string, schema: Schema][] {
  return Object.entries(operation.responses ?? {}).flatMap(([status, node]) => {
    const { content = {}, headers = {} } = resolve<ResponseObject>(document, node);
    const holders = [...Object.values(content), ...Object.values(headers)] as (MediaTypeObject | Reference)[];
    const schemas = holders.map((holder) => resolve<MediaTypeObject>(document, holder));
    return schemas
      .flatMap(({ schema, itemSchema }) => [schema ?? [], itemSchema ?? []].flat())
      .map((schema): [string, Schema] => [`response ${status}`, schema]);
  });
}
