import type { OpenApiDocument, Schema } from "../objects.ts";
import { pointer } from "../references.ts";
import { compilePattern, compilerOf, type Pattern } from "../pattern.ts";

/** The schemas that may describe a value. `shape` caches their combination. */
export interface Declaration {
  schemas: Schema[];
  shape?: Shape;
  /** Whether the schemas depend on names in a request, so that there may be very many combinations. */
  isTransient?: boolean;
}

/** The combination of all schemas that may describe a value. */
export interface Shape {
  /** Whether fields without a name in the schemas are allowed. */
  isOpen: boolean;
  /** The fields with a name in the schemas. */
  fields: Map<string, Declaration>;
  patterns: [Pattern, Schema[]][];
  /** The schemas of fields without a name in the schemas. */
  others: Declaration;
  /** The items at the positions that `prefixItems` names. */
  prefix: Declaration[];
  items: Declaration;
  isWriteOnly: boolean;
}

/** Returns the declaration of a field without a name in the schemas, or undefined if such a field is not allowed. */
export function unnamedField({ patterns, isOpen, others }: Shape, name: string): Declaration | undefined {
  const matching = patterns.filter(([pattern]) => pattern.test(name));
  if (matching.length === 0) return isOpen ? others : undefined;
  return { schemas: matching.flatMap(([, schemas]) => schemas), isTransient: matching.length > 1 };
}

/** Returns the declaration of the item at a position of an array. */
export function itemAt({ prefix, items }: Shape, position: number): Declaration {
  return prefix[position] ?? items;
}

/** The most shapes to cache of those that depend on names in a request. */
const MAX_TRANSIENT = 100;

/**
 * Returns a function that combines the schemas of a declaration, through `$ref`, `allOf`, `oneOf`, `anyOf` and
 * conditional keywords. Shapes are built on demand, once for each set of schemas, because schemas may be recursive.
 */
export function shapesOf(document: OpenApiDocument): (declaration: Declaration) => Shape {
  const shapes = new Map<string, Shape>();
  const transient = new Map<string, Shape>();
  const ids = new WeakMap<object, number>();
  let lastId = 0;
  const shapeOf = (schemas: Schema[], isTransient: boolean): Shape => {
    const key = schemas.map((node) => ids.get(node) ?? (ids.set(node, ++lastId), lastId)).join(" ");
    const cache = isTransient ? transient : shapes;
    const known = cache.get(key);
    if (known !== undefined) return known;
    if (isTransient && transient.size === MAX_TRANSIENT) transient.clear();
    const shape = combine(document, schemas, isTransient);
    cache.set(key, shape);
    return shape;
  };
  return (declaration) =>
    (declaration.shape ??= shapeOf(schemasIn(declaration.schemas), declaration.isTransient === true));
}

const COMBINING = ["allOf", "oneOf", "anyOf"] as const;
const CONDITIONAL = ["if", "then", "else"] as const;
const FIELDS = ["properties", "patternProperties"] as const;
const OTHERS = ["additionalProperties", "unevaluatedProperties"] as const;

function combine(document: OpenApiDocument, schemas: Schema[], isTransient: boolean): Shape {
  const shape: Shape = {
    isOpen: false,
    fields: new Map(),
    patterns: [],
    others: { schemas: [], isTransient },
    prefix: [],
    items: { schemas: [], isTransient },
    isWriteOnly: false,
  };
  const lists: Schema[] = [];
  const required = new Set<string>();
  let saysNothing = true;
  const pending = [...schemas];
  const seen = new Set<Schema>();
  while (pending.length > 0) {
    const node = pending.pop()!;
    if (seen.has(node)) continue;
    seen.add(node);
    if (node.$ref !== undefined) pending.push(pointer(document, node.$ref) as Schema);
    for (const keyword of COMBINING) pending.push(...schemasIn(node[keyword]));
    for (const keyword of CONDITIONAL) pending.push(...schemasIn([node[keyword]]));
    pending.push(...schemasIn(Object.values(node["dependentSchemas"] ?? {})));
    shape.items.schemas.push(...schemasIn([node.items]), ...schemasIn(node["prefixItems"]));
    if (node.items !== undefined || node["prefixItems"] !== undefined) lists.push(node);
    for (const name of Array.isArray(node["required"]) ? (node["required"] as string[]) : []) required.add(name);
    if (node["writeOnly"] === true) shape.isWriteOnly = true;
    for (const [name, field] of Object.entries((node["properties"] ?? {}) as Record<string, Schema>)) {
      const before = shape.fields.get(name)?.schemas ?? [];
      shape.fields.set(name, { schemas: [...before, ...schemasIn([field])], isTransient });
    }
    for (const [pattern, field] of Object.entries((node["patternProperties"] ?? {}) as Record<string, Schema>)) {
      shape.patterns.push([(compilerOf(document) ?? compilePattern)(pattern), schemasIn([field])]);
    }
    const { propertyName } = (node["discriminator"] ?? {}) as { propertyName?: string };
    if (propertyName !== undefined && !shape.fields.has(propertyName))
      shape.fields.set(propertyName, { schemas: [], isTransient }); // the schemas of the choice need not name it
    const others = OTHERS.map((keyword) => node[keyword]).filter((value) => value !== undefined);
    if (others.some((value) => value !== false)) shape.isOpen = true;
    shape.others.schemas.push(...schemasIn(others));
    if (others.length > 0 || FIELDS.some((keyword) => node[keyword] !== undefined)) saysNothing = false;
  }
  if (saysNothing) shape.isOpen = true;
  // A required field is declared, even if no schema describes its value.
  for (const name of required)
    if (!shape.isOpen && !shape.fields.has(name)) shape.fields.set(name, { schemas: [], isTransient });
  for (const [name, { schemas: own }] of shape.fields) {
    own.push(...shape.patterns.flatMap(([pattern, more]) => (pattern.test(name) ? more : [])));
  }
  shape.prefix = prefixOf(lists).map((own) => ({ schemas: own, isTransient }));
  return shape;
}

/** Returns the schemas of each position that one of these schemas names. The `items` of another one describe it as well. */
function prefixOf(lists: Schema[]): Schema[][] {
  const prefixes = lists.map((node) => (Array.isArray(node["prefixItems"]) ? (node["prefixItems"] as unknown[]) : []));
  const length = Math.max(0, ...prefixes.map((prefix) => prefix.length));
  return Array.from({ length }, (_, at) =>
    lists.flatMap((node, index) => schemasIn([at < prefixes[index]!.length ? prefixes[index]![at] : node.items])),
  );
}

/** Returns the schemas that are objects. `true` and `false` (JSON Schema 2020-12) name no fields. */
function schemasIn(nodes: unknown): Schema[] {
  return Array.isArray(nodes) ? nodes.filter((node): node is Schema => typeof node === "object" && node !== null) : [];
}
