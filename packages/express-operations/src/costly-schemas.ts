import { setImmediate } from "node:timers/promises";
import { type OpenApiDocument, type OperationEntry, type RequestBodyObject, resolve, type Schema } from "./document.ts";

/** A schema that takes longer to judge some values than in proportion to their size. */
export interface CostlySchema {
  /** The operation whose requests it judges. */
  operationId: string;
  /** What it judges of them, such as `body` or `query filter`. */
  of: string;
  /** The way from there to the schema, such as `/tags/items`. */
  at: string;
  keyword: "uniqueItems" | "pattern" | "anyOf" | "oneOf" | "allOf";
  /** What takes long, and what to do about it. */
  reason: string;
}

/** Lists of no more items are compared in less than a millisecond. */
const FEW_ITEMS = 200;
/** A pattern tries texts of no more characters quickly, unless its tries double with each character. */
const SHORT = 1_000;

/**
 * Finds the schemas of an operation's requests that take longer than in proportion to what they judge: `uniqueItems` of
 * what is not known to be scalar, patterns that backtrack as far as scslre finds them, and schemas that judge a part of a
 * value by themselves several times. Those that have been seen are left out.
 */
export async function costlySchemas(
  document: OpenApiDocument,
  entry: OperationEntry,
  seen = new Set<Schema>(),
): Promise<CostlySchema[]> {
  const found: CostlySchema[] = [];
  for (const [of, root] of requestSchemas(document, entry)) {
    for (const [at, schema] of schemasBelow(document, root, "", seen)) {
      const cost = costOfUniqueItems(schema) ?? costOfRecursion(document, schema) ?? (await costOfPatterns(schema));
      if (cost !== undefined) found.push({ operationId: entry.id, of, at, ...cost });
    }
  }
  return found;
}

/**
 * Warns of the costly schemas of a document once, by name. They are looked for after the start, an operation in each turn of
 * the event loop, as that takes a tenth of a second in a document of a thousand operations.
 */
export async function warnOfCosts(document: OpenApiDocument, entries: OperationEntry[]): Promise<void> {
  const seen = new Set<Schema>();
  const costly: CostlySchema[] = [];
  for (const entry of entries) {
    await setImmediate();
    const found = await costlySchemas(document, entry, seen).catch(() => []); // `ready` tells of schemas that are broken
    costly.push(...found);
  }
  if (costly.length === 0) return;
  const lines = costly
    .slice(0, NAMED)
    .map(({ operationId, of, at, reason }) => `- ${operationId}, ${of}${at}: ${reason}`);
  if (costly.length > NAMED) lines.push(`- and ${costly.length - NAMED} more`);
  const title = "Some requests can take longer than their size accounts for:";
  process.emitWarning([title, ...lines].join("\n"), { code: "COSTLY_SCHEMA" });
}

/** How many are named in a warning. */
const NAMED = 20;

type Finding = Pick<CostlySchema, "keyword" | "reason">;

function requestSchemas(document: OpenApiDocument, entry: OperationEntry): [of: string, schema: Schema][] {
  const mediaTypes = (content: object = {}) => Object.values(content).map((media: { schema?: Schema }) => media.schema);
  const parameters = entry.parameters.flatMap(({ in: where, name, schema, content }) =>
    [schema, ...mediaTypes(content)].map((own) => [`${where} ${name}`, own] as const),
  );
  const { content } = resolve<RequestBodyObject>(document, entry.operation.requestBody ?? {});
  const bodies = mediaTypes(content).map((own) => ["body", own] as const);
  return [...parameters, ...bodies].flatMap(([of, schema]) => (schema === undefined ? [] : [[of, schema]]));
}

/** Keywords whose schemas judge the same value, and those whose schemas judge a part of it. */
const SAME = { one: ["not", "if", "then", "else"], many: ["allOf", "anyOf", "oneOf"], named: ["dependentSchemas"] };
const PART = {
  one: ["items", "contains", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "propertyNames"],
  many: ["prefixItems"],
  named: ["properties", "patternProperties"],
};

/** The schemas directly below one, and where each stands there. */
function below(document: OpenApiDocument, schema: Schema, { one, many, named }: typeof SAME): [at: string, Schema][] {
  const entries = [
    ...one.map((keyword): [string, unknown] => [keyword, schema[keyword]]),
    ...many.flatMap((keyword) => Object.entries(schema[keyword] ?? []).map(([at, own]) => [`${keyword}/${at}`, own])),
    ...named.flatMap((keyword) =>
      Object.entries(schema[keyword] ?? {}).map(([name, own]) => [`${keyword}/${name}`, own]),
    ),
  ] as [string, unknown][];
  return entries.flatMap(([at, own]) => (isSchema(own) ? [[at, resolve<Schema>(document, own)]] : []));
}

function isSchema(node: unknown): node is Schema {
  return typeof node === "object" && node !== null;
}

/** A schema and all below it that have not been seen. */
function* schemasBelow(
  document: OpenApiDocument,
  node: Schema,
  place: string,
  seen: Set<Schema>,
): Generator<[at: string, schema: Schema]> {
  const schema = resolve<Schema>(document, node);
  if (seen.has(schema)) return;
  seen.add(schema);
  yield [place, schema];
  for (const [at, own] of [...below(document, schema, SAME), ...below(document, schema, PART)]) {
    yield* schemasBelow(document, own, `${place}/${at.replace(/^properties\//, "")}`, seen);
  }
}

/** ajv compares each item with each other, unless it sees by their types that all are scalar. */
function costOfUniqueItems({ uniqueItems, items = {}, maxItems }: Schema): Finding | undefined {
  const types = [items.type ?? []].flat();
  const areScalar = types.length > 0 && !types.some((type) => type === "object" || type === "array");
  if (uniqueItems !== true || areScalar || Number(maxItems ?? Infinity) <= FEW_ITEMS) return undefined;
  return {
    keyword: "uniqueItems",
    reason: `uniqueItems compares every item with every other. Set maxItems to at most ${FEW_ITEMS}, or give the items a scalar type, beside their $ref if they have one.`,
  };
}

async function costOfPatterns({ pattern, maxLength, patternProperties }: Schema): Promise<Finding | undefined> {
  const isShort = Number(maxLength ?? Infinity) <= SHORT;
  for (const source of [pattern as string | undefined, ...Object.keys(patternProperties ?? {})]) {
    const backtracking = source === undefined ? undefined : await backtrackingOf(source);
    if (backtracking === undefined || (backtracking === "polynomial" && isShort && source === pattern)) continue;
    const remedy = backtracking === "polynomial" ? `, or set maxLength to at most ${SHORT}` : "";
    const reason = `the pattern ${source} backtracks. Write it so that a text matches it in one way only${remedy}.`;
    return { keyword: "pattern", reason };
  }
  return undefined;
}

/** One class of characters that is repeated from the start of a text matches in one way only. */
const PLAIN = /^\^[^()|*+{]*(?:[*+]|\{\d+,?\d*\})?[^()|*+{]*$/;

/** How the tries that a pattern takes grow with the length of a text, where they grow faster than it. */
async function backtrackingOf(source: string): Promise<"polynomial" | "exponential" | undefined> {
  if (PLAIN.test(source) || !/[*+{]/.test(source)) return undefined;
  const expression = expressionOf(source);
  if (expression === undefined) return undefined;
  const { analyse } = await import("scslre"); // loaded only for a pattern that is not plain
  const { reports } = analyse(expression);
  if (reports.length === 0) return undefined;
  return reports.some(({ exponential }) => exponential) ? "exponential" : "polynomial";
}

/** As ajv compiles it; one that it cannot compile is reported as a broken operation. */
function expressionOf(source: string): RegExp | undefined {
  try {
    return new RegExp(source, "u");
  } catch {
    return undefined;
  }
}

/** A schema that judges a part of a value by itself in two ways takes twice as long with each level of nesting. */
function costOfRecursion(document: OpenApiDocument, schema: Schema): Finding | undefined {
  const keyword = (["anyOf", "oneOf", "allOf"] as const).find((own) => schema[own] !== undefined);
  if (keyword === undefined) return undefined;
  const again = partsOf(document, schema).filter(
    (part, at, parts) =>
      parts.some((other, place) => place !== at && other.at === part.at && !areToldApart(part, other)) &&
      reaches(document, part.schema, schema),
  );
  if (again.length < 2) return undefined;
  return {
    keyword,
    reason: `its ${keyword} validates ${again[0]!.at} against this schema several times, and each level of nesting multiplies that. Make a const or enum the first property of each member and require it, so that a value fits one member only.`,
  };
}

/** A part of a value that a schema judges, and what the members of `anyOf` and `oneOf` on the way demand of their first property. */
interface Part {
  at: string;
  schema: Schema;
  demands: { name: string; values: unknown[] }[];
}

/** The parts of a value that are judged, once for each way that leads to them. */
function partsOf(document: OpenApiDocument, schema: Schema, path: Schema[] = []): Part[] {
  if (path.includes(schema)) return [];
  const own = below(document, schema, PART).map(([at, part]) => ({ at, schema: part, demands: [] }));
  const others = below(document, schema, SAME).flatMap(([, member]) => {
    const demand = demandOf(document, member);
    return partsOf(document, member, [...path, schema]).map((part) => ({
      ...part,
      demands: demand === undefined ? part.demands : [demand, ...part.demands],
    }));
  });
  return [...own, ...others];
}

/** The values that the first property of a schema may have, where it has to be there: others are refused before any part is judged. */
function demandOf(
  document: OpenApiDocument,
  { properties = {}, required = [] }: Schema,
): Part["demands"][number] | undefined {
  const [first] = Object.entries(properties as Record<string, Schema>);
  if (first === undefined || !(required as string[]).includes(first[0])) return undefined;
  const { const: only, enum: listed } = resolve<Schema>(document, first[1]);
  const values = only === undefined ? (listed as unknown[] | undefined) : [only];
  return values && { name: first[0], values };
}

/** Whether no value goes both ways. */
function areToldApart(one: Part, other: Part): boolean {
  return one.demands.some(({ name, values }) =>
    other.demands.some((demand) => demand.name === name && !demand.values.some((value) => values.includes(value))),
  );
}

function reaches(document: OpenApiDocument, from: Schema, to: Schema, seen = new Set<Schema>()): boolean {
  if (from === to) return true;
  if (seen.has(from)) return false;
  seen.add(from);
  return [...below(document, from, SAME), ...below(document, from, PART)].some(([, own]) =>
    reaches(document, own, to, seen),
  );
}
