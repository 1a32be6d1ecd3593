import {
  effectiveSchema,
  exampleValue,
  type OpenApiDocument,
  propertiesOf,
  type Schema,
} from "express-operations/reading";

/** Made objects are nested at most this deep; deeper ones have only required fields. */
const MAX_DEPTH = 6;

/** The days of made dates begin on 2020-01-01. */
const EPOCH = Date.UTC(2020, 0, 1);

/**
 * Returns a made value of a schema. It depends only on the numbers that `random` returns. Schemas that say too much for a made
 * value, such as a `pattern`, get their example.
 */
export function dynamicValue(document: OpenApiDocument, node: Schema, random: () => number, depth = 0): unknown {
  const schema = effectiveSchema(document, node);
  const { enum: values, const: only } = schema;
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  if (only !== undefined) return only;
  if (Array.isArray(values) && values.length > 0) return pick(values as unknown[]);
  const members = (schema["oneOf"] ?? schema["anyOf"]) as Schema[] | undefined;
  if (members !== undefined && members.length > 0) {
    const { oneOf: _, anyOf: __, ...rest } = schema;
    return dynamicValue(document, { allOf: [rest, pick(members)] }, random, depth);
  }
  const type = [schema.type ?? []].flat().find((each) => each !== "null") ?? (schema["properties"] && "object");
  switch (type) {
    case "integer":
    case "number":
      return number(schema, type, random) ?? exampleValue(document, schema, "a made number");
    case "boolean":
      return random() < 0.5;
    case "string":
      return text(schema, random, pick) ?? exampleValue(document, schema, "a made text");
    case "array":
      return list(document, schema, random, depth);
    case "object":
      return object(document, schema, random, depth);
    default:
      return exampleValue(document, schema, "a made value");
  }
}

function number(schema: Schema, type: string, random: () => number): number | undefined {
  if (
    schema["multipleOf"] !== undefined ||
    schema["exclusiveMinimum"] !== undefined ||
    schema["exclusiveMaximum"] !== undefined
  )
    return undefined;
  const from = Number(schema["minimum"] ?? Math.min(0, Number(schema["maximum"] ?? 0)));
  const to = Number(schema["maximum"] ?? from + 1_000);
  const made = from + random() * (to - from);
  const isWhole = type === "integer" || /^int(?:32|64)$/.test(String(schema["format"]));
  return isWhole ? Math.min(Math.floor(to), Math.max(Math.ceil(from), Math.round(made))) : Math.round(made * 100) / 100;
}

const WORDS =
  "amber birch cedar dune ember fern grove harbour iris juniper kelp lotus maple north opal pine quartz reed sage tide".split(
    " ",
  );

function text(schema: Schema, random: () => number, pick: Pick): string | undefined {
  const {
    format,
    pattern,
    minLength = 0,
    maxLength = Infinity,
  } = schema as { format?: string; pattern?: string; minLength?: number; maxLength?: number };
  if (pattern !== undefined) return undefined;
  const made = format === undefined ? `${pick(WORDS)} ${pick(WORDS)}` : FORMATS[format]?.(random, pick);
  if (made === undefined) return undefined;
  const fitting = format === undefined ? made.padEnd(minLength, "x").slice(0, Math.max(0, maxLength)) : made;
  return fitting.length >= minLength && fitting.length <= maxLength ? fitting : undefined;
}

type Pick = <Item>(items: readonly Item[]) => Item;

/** Makes a text of each format. */
const FORMATS: Record<string, (random: () => number, pick: Pick) => string> = {
  byte: (_, pick) => btoa(pick(WORDS)),
  date: (random) => moment(random).slice(0, 10),
  "date-time": moment,
  email: (_, pick) => `${pick(WORDS)}@example.com`,
  uuid: (random) => `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-a${hex(random, 3)}-${hex(random, 12)}`,
  uri: (_, pick) => `https://example.com/${pick(WORDS)}`,
  url: (_, pick) => `https://example.com/${pick(WORDS)}`,
  hostname: (_, pick) => `${pick(WORDS)}.example.com`,
  ipv4: (random) => `192.0.2.${Math.floor(random() * 256)}`,
};

/** Whether `dynamicValue` makes texts of the schema's format. */
export function hasMadeFormat({ format }: Schema): boolean {
  return Object.hasOwn(FORMATS, String(format));
}

function hex(random: () => number, count: number): string {
  return Array.from({ length: count }, () => Math.floor(random() * 16).toString(16)).join("");
}

function moment(random: () => number): string {
  return new Date(EPOCH + Math.floor(random() * 3_650) * 86_400_000).toISOString();
}

function list(document: OpenApiDocument, schema: Schema, random: () => number, depth: number): unknown[] {
  const least = Number(schema["minItems"] ?? 0);
  const most = Math.min(Number(schema["maxItems"] ?? Infinity), Math.max(least, depth < MAX_DEPTH ? 3 : 0));
  const count = Math.max(least, Math.min(most, 1 + Math.floor(random() * 3)));
  const isUnique = schema["uniqueItems"] === true;
  const items = new Map<string, unknown>();
  for (let draw = 0; items.size < count && draw < count + MAX_REDRAWS; draw++) {
    const item = dynamicValue(document, schema.items ?? {}, random, depth + 1);
    items.set(isUnique ? JSON.stringify(item) : String(draw), item);
  }
  return [...items.values()];
}

/** How often an item is drawn again that a list of unique items has already. */
const MAX_REDRAWS = 50;

function object(document: OpenApiDocument, schema: Schema, random: () => number, depth: number): object {
  const required = new Set((schema["required"] ?? []) as string[]);
  const fields = Object.entries(propertiesOf(schema)).filter(([name]) => required.has(name) || depth < MAX_DEPTH);
  const made = fields.map(([name, field]) => [name, dynamicValue(document, field, random, depth + 1)]);
  const example = exampleValue(document, schema, "a made object");
  return { ...(example as object), ...(Object.fromEntries(made) as object) };
}
