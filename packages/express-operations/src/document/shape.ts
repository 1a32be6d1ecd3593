import { type OpenApiDocument, resolve, type Schema } from "./document.ts";
import { compilePattern } from "./pattern.ts";

/** The schemas that may describe a value. `shape` caches their combination. */
export interface Declaration {
  schemas: Schema[];
  shape?: Shape;
}

/** The combination of all schemas that may describe a value. */
export interface Shape {
  /** Whether fields without a name in the schemas are allowed. */
  isOpen: boolean;
  /** The fields with a name in the schemas. */
  fields: Map<string, Declaration>;
  patterns: [RegExp, Schema[]][];
  /** The schemas of fields without a name in the schemas. */
  others: Declaration;
  items: Declaration;
  isWriteOnly: boolean;
}

/** Returns the declaration of a field without a name in the schemas, or undefined if such a field is not allowed. */
export function unnamedField({ patterns, isOpen, others }: Shape, name: string): Declaration | undefined {
  const matching = patterns.filter(([pattern]) => pattern.test(name));
  if (matching.length === 0) return isOpen ? others : undefined;
  return { schemas: matching.flatMap(([, schemas]) => schemas) };
}

/**
 * Returns a function that combines the schemas of a declaration, through `$ref`, `allOf`, `oneOf`, `anyOf` and
 * conditional keywords. Shapes are built on demand, once for each set of schemas, because schemas may be recursive.
 */
export function shapesOf(document: OpenApiDocument): (declaration: Declaration) => Shape {
  const shapes = new Map<string, Shape>();
  const ids = new WeakMap<object, number>();
  let lastId = 0;
  const shapeOf = (schemas: Schema[]): Shape => {
    const key = schemas.map((node) => ids.get(node) ?? (ids.set(node, ++lastId), lastId)).join(" ");
    const shape = shapes.get(key) ?? combine(document, schemas);
    shapes.set(key, shape);
    return shape;
  };
  return (declaration) => (declaration.shape ??= shapeOf(schemasIn(declaration.schemas)));
}

const COMBINING = ["allOf", "oneOf", "anyOf"] as const;
const CONDITIONAL = ["if", "then", "else"] as const;
const FIELDS = ["properties", "patternProperties"] as const;
const OTHERS = ["additionalProperties", "unevaluatedProperties"] as const;

function combine(document: OpenApiDocument, schemas: Schema[]): Shape {
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
  for (const [name, { schemas: own }] of shape.fields) {
    own.push(...shape.patterns.flatMap(([pattern, more]) => (pattern.test(name) ? more : [])));
  }
  return shape;
}

/** Returns the schemas that are objects. `true` and `false` (JSON Schema 2020-12) name no fields. */
function schemasIn(nodes: unknown): Schema[] {
  return Array.isArray(nodes) ? nodes.filter((node): node is Schema => typeof node === "object" && node !== null) : [];
}
