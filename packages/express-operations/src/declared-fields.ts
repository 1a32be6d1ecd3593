import type { OpenApiDocument, Schema } from "./document.ts";
import { resolve } from "./document.ts";

/** Gives a value without the fields that its schema does not declare; the value itself where there are none. */
export type KeepDeclared = (value: unknown) => unknown;

/** The schemas that apply to a field, and what they say of it, once that was asked. */
interface Field {
  schemas: Schema[];
  isWriteOnly?: boolean;
}

/** In place of a field that is not kept. */
const DROPPED = Symbol("dropped");

/** What the schemas that apply to one place declare together. */
interface Shape {
  /** True when nothing is said about fields, or any is let through: then everything is kept. */
  isOpen: boolean;
  fields: Map<string, Field>;
  items: Schema[];
  isWriteOnly: boolean;
}

/**
 * Drops what a schema does not declare, so that a column added to a table never leaks. An object keeps what any of its
 * schemas names, through `$ref`, `allOf`, `oneOf`, `anyOf` and the conditional keywords; it keeps everything when none
 * says anything of fields, or when one lets others through (`additionalProperties` and its kin). What is `writeOnly` is
 * dropped.
 */
export function keepDeclared(document: OpenApiDocument, schema: Schema | undefined): KeepDeclared {
  if (schema === undefined) return (value) => value;
  const shapes = new Map<Schema[], Shape>();
  const shapesByIds = new Map<string, Shape>();
  const ids = new WeakMap<object, number>();
  let lastId = 0;

  /** Schemas refer to each other in circles, so shapes are made as values need them, once for each set of schemas. */
  const shapeFor = (schemas: Schema[]): Shape => {
    let shape = shapes.get(schemas);
    if (shape !== undefined) return shape;
    const key = schemas.map((node) => ids.get(node) ?? (ids.set(node, ++lastId), lastId)).join(" ");
    shapesByIds.set(key, (shape = shapesByIds.get(key) ?? shapeOf(document, schemas)));
    shapes.set(schemas, shape);
    return shape;
  };

  const keep = (schemas: Schema[], value: unknown): unknown => {
    if (typeof value !== "object" || value === null || schemas.length === 0) return value;
    const shape = shapeFor(schemas);
    return Array.isArray(value) ? keepItems(shape.items, value) : keepFields(shape, value as Record<string, unknown>);
  };

  const keepItems = (schemas: Schema[], items: unknown[]): unknown[] => {
    const kept = items.map((item) => keep(schemas, item));
    return kept.some((item, at) => item !== items[at]) ? kept : items;
  };

  const keepFields = (shape: Shape, value: Record<string, unknown>): object => {
    const isKept = (name: string) => keepField(shape, name, value[name]) === value[name];
    if (Object.keys(value).every(isKept)) return value;
    const kept = Object.entries(value).map(([name, field]) => [name, keepField(shape, name, field)] as const);
    return Object.fromEntries(kept.filter(([, field]) => field !== DROPPED));
  };

  const keepField = (shape: Shape, name: string, value: unknown): unknown => {
    const field = shape.fields.get(name);
    if (field === undefined) return shape.isOpen ? value : DROPPED;
    field.isWriteOnly ??= shapeFor(field.schemas).isWriteOnly;
    return field.isWriteOnly ? DROPPED : keep(field.schemas, value);
  };

  const root = schemasIn([schema]);
  return (value) => keep(root, value);
}

const COMBINING = ["allOf", "oneOf", "anyOf"] as const;
const CONDITIONAL = ["if", "then", "else"] as const;
const OTHERS = ["additionalProperties", "patternProperties", "unevaluatedProperties"] as const;

function shapeOf(document: OpenApiDocument, schemas: Schema[]): Shape {
  const shape: Shape = { isOpen: false, fields: new Map(), items: [], isWriteOnly: false };
  let saysNothing = true;
  const pending = [...schemas];
  const seen = new Set<Schema>();
  while (pending.length > 0) {
    const node = pending.pop()!;
    if (seen.has(node)) continue;
    seen.add(node);
    if (node.$ref !== undefined) pending.push(resolve<Schema>(document, { $ref: node.$ref }));
    for (const keyword of COMBINING) pending.push(...schemasIn(node[keyword]));
    for (const keyword of CONDITIONAL) pending.push(...schemasIn([node[keyword]]));
    pending.push(...schemasIn(Object.values(node["dependentSchemas"] ?? {})));
    shape.items.push(...schemasIn([node.items]), ...schemasIn(node["prefixItems"]));
    if (node["writeOnly"] === true) shape.isWriteOnly = true;
    for (const [name, field] of Object.entries((node["properties"] ?? {}) as Record<string, Schema>)) {
      shape.fields.set(name, { schemas: [...(shape.fields.get(name)?.schemas ?? []), ...schemasIn([field])] });
    }
    const others = OTHERS.map((keyword) => node[keyword]).filter((value) => value !== undefined);
    if (others.some((value) => value !== false)) shape.isOpen = true;
    if (others.length > 0 || node["properties"] !== undefined) saysNothing = false;
  }
  if (saysNothing) shape.isOpen = true;
  return shape;
}

/** The schemas that say something: `true` and `false` (JSON Schema 2020-12) name no field. */
function schemasIn(nodes: unknown): Schema[] {
  return Array.isArray(nodes) ? nodes.filter((node): node is Schema => typeof node === "object" && node !== null) : [];
}
