import type { OpenApiDocument, Schema } from "./document.ts";
import { resolve } from "./document.ts";

/** Gives a value without the fields that its schema does not declare; the value itself where there are none. */
export type KeepDeclared = (value: unknown) => unknown;

/** What the schemas that apply to one place declare together. */
interface Shape {
  /** True when a schema says nothing about fields, or lets any through: then everything is kept. */
  isOpen: boolean;
  fields: Map<string, Schema[]>;
  items: Schema[];
}

/**
 * Drops what a schema does not declare, so that a column added to a table never leaks. An object keeps what any of its
 * schemas names, through `allOf`, `oneOf` and `anyOf`; it keeps everything when none names a field, or when one says
 * `additionalProperties`, `patternProperties` or `unevaluatedProperties`. Fields that are `writeOnly` are dropped.
 */
export function keepDeclared(document: OpenApiDocument, schema: Schema | undefined): KeepDeclared {
  if (schema === undefined) return (value) => value;
  const shapes = new Map<string, Shape>();
  const ids = new WeakMap<object, number>();
  let lastId = 0;

  /** Schemas refer to each other in circles, so shapes are made as values need them, once for each set of schemas. */
  const shapeFor = (schemas: Schema[]): Shape => {
    const key = schemas.map((node) => ids.get(node) ?? (ids.set(node, ++lastId), lastId)).join(" ");
    let shape = shapes.get(key);
    if (shape === undefined) shapes.set(key, (shape = shapeOf(document, schemas)));
    return shape;
  };

  const keep = (schemas: Schema[], value: unknown): unknown => {
    if (typeof value !== "object" || value === null || schemas.length === 0) return value;
    const shape = shapeFor(schemas);
    return Array.isArray(value) ? keepItems(shape.items, value) : keepFields(shape, value);
  };

  const keepItems = (schemas: Schema[], items: unknown[]): unknown[] => {
    const kept = items.map((item) => keep(schemas, item));
    return kept.some((item, at) => item !== items[at]) ? kept : items;
  };

  const keepFields = (shape: Shape, value: object): object => {
    let changed = false;
    const kept: Record<string, unknown> = {};
    for (const [name, field] of Object.entries(value)) {
      const schemas = shape.fields.get(name);
      if (schemas === undefined ? !shape.isOpen : schemas.some((node) => node["writeOnly"] === true)) {
        changed = true;
        continue;
      }
      const inner = keep(schemas ?? [], field);
      if (inner !== field) changed = true;
      Object.defineProperty(kept, name, { value: inner, enumerable: true, writable: true, configurable: true });
    }
    return changed ? kept : value;
  };

  return (value) => keep([schema], value);
}

const COMBINING = ["allOf", "oneOf", "anyOf"] as const;
const CONDITIONAL = ["if", "then", "else"] as const;
const OPENING = ["additionalProperties", "patternProperties", "unevaluatedProperties"] as const;

function shapeOf(document: OpenApiDocument, schemas: Schema[]): Shape {
  const shape: Shape = { isOpen: false, fields: new Map(), items: [] };
  const pending = [...schemas];
  const seen = new Set<Schema>();
  while (pending.length > 0) {
    const node = pending.pop()!;
    if (seen.has(node)) continue;
    seen.add(node);
    if (node.$ref !== undefined) pending.push(resolve<Schema>(document, { $ref: node.$ref }));
    for (const keyword of COMBINING) pending.push(...((node[keyword] ?? []) as Schema[]));
    for (const keyword of CONDITIONAL) if (node[keyword] !== undefined) pending.push(node[keyword] as Schema);
    if (OPENING.some((keyword) => node[keyword] !== undefined && node[keyword] !== false)) shape.isOpen = true;
    if (node.items !== undefined) shape.items.push(node.items);
    for (const [name, field] of Object.entries((node["properties"] ?? {}) as Record<string, Schema>)) {
      shape.fields.set(name, [...(shape.fields.get(name) ?? []), field]);
    }
  }
  if (shape.fields.size === 0) shape.isOpen = true;
  return shape;
}
