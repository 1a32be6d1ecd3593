import { setImmediate } from "node:timers/promises";
import { costOfPattern } from "./costly-patterns.ts";
import { repeatedParts } from "./costly-recursion.ts";
import {
  type OpenApiDocument,
  type OperationEntry,
  type MediaTypeObject,
  type Reference,
  type RequestBodyObject,
  resolve,
  type ResponseObject,
  type Schema,
  compilerOf,
  schemasBelow,
} from "openapi-document";

/** A schema whose validation can take more than linear time. */
export interface CostlySchema {
  operationId: string;
  /** The part of the request, such as `body` or `query filter`. */
  of: string;
  /** The path of keywords and properties below `of`, such as `/tags/items`. */
  at: string;
  keyword: "uniqueItems" | "pattern" | "$ref";
  /** The cause and the remedy. */
  reason: string;
}

/** ajv compares this many items quickly, whatever their size within the default limits. */
const FEW_ITEMS = 50;
/** The most schemas that a warning lists. */
const NAMED = 20;

/**
 * Finds the schemas of an operation's requests whose validation can take more than linear time. These are `uniqueItems`
 * of items that may not be scalar, patterns that backtrack according to scslre or to `waysToRead`, and schemas that validate one part of a
 * value against themselves several times. Unreadable schemas are skipped, because `ready` reports them. Schemas in
 * `seen` are skipped, and the others are added to `seen`.
 */
export async function costlySchemas(
  document: OpenApiDocument,
  entry: OperationEntry,
  seen?: Set<Schema>,
): Promise<CostlySchema[]> {
  const found: CostlySchema[] = [];
  try {
    for (const [of, root] of requestSchemas(document, entry)) {
      let repeated: ReturnType<typeof repeatedParts> | undefined;
      for (const [at, schema] of schemasBelow(document, root, "", seen)) {
        repeated ??= repeatedParts(document, root);
        const cost =
          costOfUniqueItems(schema) ??
          costOfRecursion(repeated.get(schema)) ??
          (compilerOf(document) === undefined ? await costOfPatterns(schema, at) : undefined);
        if (cost !== undefined) found.push({ operationId: entry.id, of, at, ...cost });
      }
    }
  } catch {
    // `ready` reports the reference that cannot be resolved
  }
  return found;
}

/**
 * Warns of each costly schema of a document once. The search runs after the start, one operation per turn of the event
 * loop, so that a large document does not delay the first response.
 */
export async function warnOfCosts(document: OpenApiDocument, entries: OperationEntry[]): Promise<void> {
  const seen = new Set<Schema>();
  const lines: string[] = [];
  for (const entry of entries) {
    await setImmediate();
    for (const { operationId, of, at, reason } of await costlySchemas(document, entry, seen)) {
      lines.push(`- ${operationId}, ${of}${at}: ${reason}`);
    }
  }
  if (lines.length === 0) return;
  if (lines.length > NAMED) lines.splice(NAMED, Infinity, `- and ${lines.length - NAMED} more`);
  const title = "These schemas can take more than linear time to validate a request:";
  process.emitWarning([title, ...lines].join("\n"), { code: "COSTLY_SCHEMA" });
}

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
    // `ready` reports the reference that cannot be resolved
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

type Finding = Pick<CostlySchema, "keyword" | "reason">;

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

/** ajv compares every item with every other, unless their types show that all are scalar. */
function costOfUniqueItems({ uniqueItems, items = {}, maxItems }: Schema): Finding | undefined {
  const types = [items.type ?? []].flat();
  const areScalar = types.length > 0 && !types.some((type) => type === "object" || type === "array");
  if ((items as unknown) === false) return undefined; // the items are limited to those of `prefixItems`
  if (uniqueItems !== true || areScalar || Number(maxItems ?? Infinity) <= FEW_ITEMS) return undefined;
  return {
    keyword: "uniqueItems",
    reason: `uniqueItems compares every item with every other. Set maxItems to at most ${FEW_ITEMS}, or give the items a scalar type, beside their $ref if they have one.`,
  };
}

function costOfRecursion(part: string | undefined): Finding | undefined {
  if (part === undefined) return undefined;
  return {
    keyword: "$ref",
    reason: `${part} is validated against this schema several times, and each level of nesting multiplies that. Let one keyword alone lead back to this schema. If that is oneOf or anyOf, give each member a required const or enum as its first property, and the part as another.`,
  };
}

async function costOfPatterns(schema: Schema, at: string): Promise<Finding | undefined> {
  const {
    pattern,
    maxLength = Infinity,
    patternProperties = {},
  } = schema as {
    pattern?: string;
    maxLength?: number;
    patternProperties?: object;
  };
  const isRepeated = /\/(?:items|contains|prefixItems|\w+Properties|\w+Items)(?:\/|$)/.test(at);
  const ofValue = pattern === undefined ? undefined : await costOfPattern(pattern, { maxLength, isRepeated });
  const ofNames = await Promise.all(Object.keys(patternProperties).map((source) => costOfPattern(source)));
  const reason = [ofValue, ...ofNames].find((found) => found !== undefined);
  return reason === undefined ? undefined : { keyword: "pattern", reason };
}
