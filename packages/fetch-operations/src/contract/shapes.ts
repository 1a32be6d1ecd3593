import { nameOf, type OpenApiDocument, resolve, type Schema } from "openapi-document";
import type { Shape } from "../response/typed-json.ts";

/** The types of values that JSON has as numbers and strings. */
export interface ValueTypes {
  int64?: "number" | "bigint" | undefined;
  dates?: "string" | "Date" | "Temporal" | undefined;
}

/** The shapes of a contract: the places of 64-bit integers and dates. */
export interface ContractShapes {
  /** The shapes of the component schemas that have such a place. */
  named: Record<string, Shape>;
  /** Returns the shape of a schema, or undefined if it has no such place. */
  of: (schema: Schema | undefined) => Shape | undefined;
}

const COMPONENT = /^#\/components\/schemas\/[^/]+$/;

/** Finds the shapes of a contract, for the options `int64` and `dates`. Throws a TypeError for a field with two shapes. */
export function shapesOf(document: OpenApiDocument, types: ValueTypes): ContractShapes {
  const { schemas = {} } = (document.components ?? {}) as { schemas?: Record<string, Schema> };
  const isOn = types.int64 === "bigint" || (types.dates ?? "string") !== "string";
  const named = Object.create(null) as Record<string, Shape>; // because a schema may have the name of a field of all objects

  function shapeOf(schema: Schema | undefined | boolean): Shape | undefined {
    if (typeof schema !== "object") return undefined;
    if (typeof schema.$ref === "string" && COMPONENT.test(schema.$ref)) return `#${nameOf(schema.$ref)}`;
    const own = resolve<Schema>(document, schema);
    const parts = ["allOf", "oneOf", "anyOf"].flatMap((keyword) => (own[keyword] ?? []) as Schema[]);
    return merged([scalarShape(own, types), structureOf(own), ...parts.map((part) => shapeOf(part))]);
  }

  function structureOf({ items, properties, additionalProperties }: Schema): Shape | undefined {
    const item = shapeOf(items);
    if (item !== undefined) return { items: item };
    const fields = Object.entries((properties ?? {}) as Record<string, Schema>).flatMap(([name, property]) => {
      const shape = shapeOf(property);
      return shape === undefined ? [] : [[name, shape] as const];
    });
    const rest = shapeOf(additionalProperties as Schema | undefined);
    return fields.length === 0 && rest === undefined
      ? undefined
      : { fields: Object.fromEntries(fields), ...(rest !== undefined && { rest }) };
  }

  /** Merges the shapes of a value's parts. References to shapes without any place are left out before. */
  function merged(shapes: (Shape | undefined)[]): Shape | undefined {
    const found = shapes.filter((shape) => shape !== undefined);
    if (found.length <= 1) return found[0];
    const texts = new Set(found.map((shape) => JSON.stringify(shape)));
    if (texts.size === 1) return found[0];
    const objects = found.map(expanded).filter((shape) => shape !== undefined);
    if (objects.length <= 1) return objects[0];
    const all = objects.every((shape) => typeof shape === "object" && "fields" in shape);
    if (!all)
      throw new TypeError(
        `A schema has several notations of dates or integers: ${[...texts].join(", ")}. Leave out the options int64 and dates.`,
      );
    const fields: Record<string, Shape> = {};
    for (const shape of objects as { fields: Record<string, Shape> }[])
      for (const [name, field] of Object.entries(shape.fields)) fields[name] = merged([fields[name], field])!;
    const rest = merged(objects.map((shape) => (shape as { rest?: Shape }).rest));
    return { fields, ...(rest !== undefined && { rest }) };
  }

  const open = new Set<Shape>();

  /** Returns the shape behind a reference. A schema that is a part of itself, as an alternative of its base, adds nothing. */
  function expanded(shape: Shape): Shape | undefined {
    if (typeof shape !== "string" || !shape.startsWith("#")) return shape;
    if (open.has(shape)) return undefined;
    open.add(shape);
    const own = shapeOf(schemas[shape.slice(1)]);
    const target = own && expanded(own);
    open.delete(shape);
    return target;
  }

  if (isOn) {
    const candidates = Object.entries(schemas).map(([name, schema]) => [name, () => shapeOf(schema)] as const);
    for (const [name, make] of candidates) {
      const shape = make();
      if (shape !== undefined) named[name] = shape;
    }
    prune(named);
  }
  return { named, of: (schema) => (isOn ? pruned(shapeOf(schema), named) : undefined) };
}

/** Returns the shape of a value that the client converts; undefined for other values. */
export function scalarShape(
  { format, type }: Schema,
  { int64, dates = "string" }: ValueTypes,
): "int64" | "date" | "date-time" | undefined {
  const types = new Set([type ?? []].flat());
  if (int64 === "bigint" && format === "int64" && types.has("integer")) return format;
  const isDate = format === "date-time" || (format === "date" && dates === "Temporal");
  return isDate && dates !== "string" && types.has("string") ? format : undefined;
}

/** Removes the shapes that lead to no place, and the references to them. */
function prune(named: Record<string, Shape>): void {
  const useful = new Set<string>();
  for (let isStable = false; !isStable;) {
    isStable = true;
    for (const [name, shape] of Object.entries(named)) {
      if (useful.has(name) || !leadsTo(shape, useful)) continue;
      useful.add(name);
      isStable = false;
    }
  }
  for (const name of Object.keys(named)) if (!useful.has(name)) delete named[name];
  for (const [name, shape] of Object.entries(named)) named[name] = pruned(shape, named)!;
}

function leadsTo(shape: Shape | undefined, useful: ReadonlySet<string>): boolean {
  if (shape === undefined) return false;
  if (typeof shape === "string") return !shape.startsWith("#") || useful.has(shape.slice(1));
  if ("items" in shape) return leadsTo(shape.items, useful);
  return [...Object.values(shape.fields), shape.rest].some((part) => leadsTo(part, useful));
}

function pruned(shape: Shape | undefined, named: Record<string, Shape>): Shape | undefined {
  if (!leadsTo(shape, new Set(Object.keys(named)))) return undefined;
  if (typeof shape === "string" || shape === undefined) return shape;
  if ("items" in shape) return { items: pruned(shape.items, named)! };
  const fields = Object.entries(shape.fields).flatMap(([name, field]) => {
    const own = pruned(field, named);
    return own === undefined ? [] : [[name, own] as const];
  });
  const rest = pruned(shape.rest, named);
  return { fields: Object.fromEntries(fields), ...(rest !== undefined && { rest }) };
}
