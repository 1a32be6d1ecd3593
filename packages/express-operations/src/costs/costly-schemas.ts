/** Finds schemas of a document that cost too much, or that cannot be served. */
import { costOfPattern } from "./costly-patterns.ts";
import { repeatedParts } from "./costly-recursion.ts";
import {
  type OpenApiDocument,
  type OperationEntry,
  operationsOf,
  readableDocument,
  type Schema,
  compilerOf,
  schemasBelow,
} from "openapi-document";
import { requestSchemas } from "../validation/broken-operations.ts";

export { type BrokenOperation, findBrokenOperations } from "../validation/broken-operations.ts";

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

/** Finds the schemas of a document's requests whose validation can take more than linear time: each of them once. */
export async function findCostlySchemas(given: OpenApiDocument): Promise<CostlySchema[]> {
  const document = readableDocument(given);
  const seen = new Set<Schema>();
  const found: CostlySchema[] = [];
  for (const entry of operationsOf(document)) found.push(...(await costlySchemas(document, entry, seen)));
  return found;
}

/**
 * Finds the schemas of an operation's requests whose validation can take more than linear time. These are `uniqueItems`
 * of items that may not be scalar, patterns that backtrack according to scslre or to `waysToRead`, and schemas that validate one part of a
 * value against themselves several times. Unreadable schemas are skipped, because `findBrokenOperations` finds them. Schemas in
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
    // `findBrokenOperations` finds the reference that cannot be resolved
  }
  return found;
}

type Finding = Pick<CostlySchema, "keyword" | "reason">;

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
