import type { OpenApiDocument, Schema } from "../document/document.ts";
import { resolve } from "../document/document.ts";
import { dropUndeclaredFields, type DropUndeclared, type Shape } from "./respond.ts";

/**
 * Drops what a schema does not declare, so that a column added to a table never leaks. An object keeps what any of its
 * schemas names, through `$ref`, `allOf`, `oneOf`, `anyOf` and the conditional keywords, and every field when none says
 * anything of fields or one lets others through (`additionalProperties`, `unevaluatedProperties`). What it keeps is in turn
 * freed of what its own schemas do not declare. What is `writeOnly` is dropped.
 */
export function dropUndeclared(document: OpenApiDocument, schema: Schema | undefined): DropUndeclared {
  if (schema === undefined) return (value) => value;
  const shapes = new Map<string, Shape>();
  const ids = new WeakMap<object, number>();
  let lastId = 0;

  /** Schemas refer to each other in circles, so shapes are made as values need them, once for each set of schemas. */
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
