import type { OpenApiDocument, Schema } from "../document/document.ts";
import { resolve } from "../document/document.ts";

/** Gives a value without the fields that its schema does not declare; the value itself where there are none. */
export type KeepDeclared = (value: unknown) => unknown;

/** The schemas that apply to a field, and what they say of it, once that was asked. */
interface Field {
  schemas: Schema[];
  isWriteOnly?: boolean;
}

/** What the schemas that apply to one place declare together. */
interface Shape {
  /** True when nothing is said about fields, or others than those named are let through. */
  isOpen: boolean;
  fields: Map<string, Field>;
  patterns: [RegExp, Schema[]][];
  /** What is said of the fields that are let through without being named. */
  others: Field;
  items: Schema[];
  isWriteOnly: boolean;
}

/**
 * Drops what a schema does not declare, so that a column added to a table never leaks. An object keeps what any of its
 * schemas names, through `$ref`, `allOf`, `oneOf`, `anyOf` and the conditional keywords, and every field when none says
 * anything of fields or one lets others through (`additionalProperties`, `unevaluatedProperties`). What it keeps is in turn
 * freed of what its own schemas do not declare. What is `writeOnly` is dropped.
 */
export function keepDeclared(document: OpenApiDocument, schema: Schema | undefined): KeepDeclared {
  if (schema === undefined) return (value) => value;
  const shapes = new WeakMap<Schema[], Shape>();
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

  const keep = (schemas: Schema[], value: unknown): unknown =>
    isScalar(value) || schemas.length === 0 ? value : keepShape(shapeFor(schemas), value as object);

  const keepShape = (shape: Shape, value: object): object =>
    Array.isArray(value) ? keepItems(shape.items, value) : keepFields(shape, value as Record<string, unknown>);

  const keepItems = (schemas: Schema[], items: unknown[]): unknown[] => {
    if (schemas.length === 0) return items;
    const shape = shapeFor(schemas);
    let copy: unknown[] | undefined;
    for (let at = 0; at < items.length; at++) {
      const item = items[at];
      const kept = isScalar(item) ? item : keepShape(shape, item as object);
      if (kept !== item) copy ??= items.slice(0, at);
      copy?.push(kept);
    }
    return copy ?? items;
  };

  const keepFields = (shape: Shape, value: Record<string, unknown>): object => {
    const names = Object.keys(value);
    let copy: [name: string, field: unknown][] | undefined;
    for (let at = 0; at < names.length; at++) {
      const name = names[at]!;
      const field = keepField(shape, name, value[name]);
      if (field !== value[name]) copy ??= names.slice(0, at).map((earlier) => [earlier, value[earlier]]);
      if (field !== undefined) copy?.push([name, field]);
    }
    return copy === undefined ? value : Object.fromEntries(copy);
  };

  /** Returns undefined for a field that is not kept, as JSON has no such value. */
  const keepField = (shape: Shape, name: string, value: unknown): unknown => {
    const field = fieldOf(shape, name);
    if (field === undefined) return undefined;
    field.isWriteOnly ??= shapeFor(field.schemas).isWriteOnly;
    return field.isWriteOnly ? undefined : keep(field.schemas, value);
  };

  const root = schemasIn([schema]);
  return (value) => keep(root, value);
}

const COMBINING = ["allOf", "oneOf", "anyOf"] as const;
const CONDITIONAL = ["if", "then", "else"] as const;
const FIELDS = ["properties", "patternProperties"] as const;
const OTHERS = ["additionalProperties", "unevaluatedProperties"] as const;

/** What applies to a field; undefined when it is not declared. */
function fieldOf({ fields, patterns, isOpen, others }: Shape, name: string): Field | undefined {
  const named = fields.get(name);
  if (patterns.length === 0) return named ?? (isOpen ? others : undefined);
  const matching = patterns.filter(([pattern]) => pattern.test(name));
  if (matching.length === 0) return named ?? (isOpen ? others : undefined);
  return { schemas: [...(named?.schemas ?? []), ...matching.flatMap(([, schemas]) => schemas)] };
}

function shapeOf(document: OpenApiDocument, schemas: Schema[]): Shape {
  const shape: Shape = {
    isOpen: false,
    fields: new Map(),
    patterns: [],
    others: { schemas: [] },
    items: [],
    isWriteOnly: false,
  };
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
    for (const [pattern, field] of Object.entries((node["patternProperties"] ?? {}) as Record<string, Schema>)) {
      shape.patterns.push([new RegExp(pattern, "u"), schemasIn([field])]);
    }
    const others = OTHERS.map((keyword) => node[keyword]).filter((value) => value !== undefined);
    if (others.some((value) => value !== false)) shape.isOpen = true;
    shape.others.schemas.push(...schemasIn(others));
    if (others.length > 0 || FIELDS.some((keyword) => node[keyword] !== undefined)) saysNothing = false;
  }
  if (saysNothing) shape.isOpen = true;
  return shape;
}

/** The schemas that say something: `true` and `false` (JSON Schema 2020-12) name no field. */
function schemasIn(nodes: unknown): Schema[] {
  return Array.isArray(nodes) ? nodes.filter((node): node is Schema => typeof node === "object" && node !== null) : [];
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}
