import type { OpenApiDocument, Schema } from "../document/document.ts";
import { resolve } from "../document/document.ts";
import { compilePattern } from "../document/pattern.ts";
import { dropUndeclaredFields, type DropUndeclared, type Shape } from "./respond.ts";

/**
 * Returns a function that drops undeclared fields, so that a column added to a table never leaks. An object keeps the
 * fields that any of its schemas names, through `$ref`, `allOf`, `oneOf`, `anyOf` and conditional keywords. It keeps
 * all fields if its schemas name none, or if one allows others (`additionalProperties`, `unevaluatedProperties`). The
 * same applies to the value of each kept field. `writeOnly` fields are dropped.
 */
export function dropUndeclared(document: OpenApiDocument, schema: Schema | undefined): DropUndeclared {
  if (schema === undefined) return (value) => value;
  const shapes = new Map<string, Shape>();
  const ids = new WeakMap<object, number>();
  let lastId = 0;

  /** Builds shapes on demand, once for each set of schemas, because schemas may be recursive. */
  const shapeFor = (schemas: Schema[]): Shape => {
    const key = schemas.map((node) => ids.get(node) ?? (ids.set(node, ++lastId), lastId)).join(" ");
    const shape = shapes.get(key) ?? shapeOf(document, schemas);
    shapes.set(key, shape);
    return shape;
  };

  return dropUndeclaredFields({ schemas: schemasIn([schema]) }, shapeFor);
}

const COMBINING = ["allOf", "oneOf", "anyOf"] as const;
const CONDITIONAL = ["if", "then", "else"] as const;
const FIELDS = ["properties", "patternProperties"] as const;
const OTHERS = ["additionalProperties", "unevaluatedProperties"] as const;

function shapeOf(document: OpenApiDocument, schemas: Schema[]): Shape {
  const shape: Shape = {
    isOpen: false,
    fields: new Map(),
    patterns: [],
    others: { schemas: [] },
    items: { schemas: [] },
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
    shape.items.schemas.push(...schemasIn([node.items]), ...schemasIn(node["prefixItems"]));
    if (node["writeOnly"] === true) shape.isWriteOnly = true;
    for (const [name, field] of Object.entries((node["properties"] ?? {}) as Record<string, Schema>)) {
      shape.fields.set(name, { schemas: [...(shape.fields.get(name)?.schemas ?? []), ...schemasIn([field])] });
    }
    for (const [pattern, field] of Object.entries((node["patternProperties"] ?? {}) as Record<string, Schema>)) {
      shape.patterns.push([compilePattern(pattern), schemasIn([field])]);
    }
    const others = OTHERS.map((keyword) => node[keyword]).filter((value) => value !== undefined);
    if (others.some((value) => value !== false)) shape.isOpen = true;
    shape.others.schemas.push(...schemasIn(others));
    if (others.length > 0 || FIELDS.some((keyword) => node[keyword] !== undefined)) saysNothing = false;
  }
  if (saysNothing) shape.isOpen = true;
  return shape;
}

/** Returns the schemas that are objects. `true` and `false` (JSON Schema 2020-12) name no fields. */
function schemasIn(nodes: unknown): Schema[] {
  return Array.isArray(nodes) ? nodes.filter((node): node is Schema => typeof node === "object" && node !== null) : [];
}
