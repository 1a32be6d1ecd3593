import {
  type OpenApiDocument,
  resolve,
  type Schema,
  schemasInPlace,
  schemasOfParts,
  type Subschema,
} from "openapi-document";

/** A part of a value that a schema validates. */
interface Part extends Subschema {
  /** The schema that names the part. */
  parent: Schema;
}

/**
 * Returns the recursive schemas below a root that validate one part of a value against themselves several times. The
 * value of each entry is that part, such as `properties/child`. The time multiplies with each level of nesting.
 */
export function repeatedParts(document: OpenApiDocument, root: Schema): Map<Schema, string> {
  const found = new Map<Schema, string>();
  const cycles = cyclesBelow(document, root);
  for (const schema of cycles.keys()) {
    const below = [...schemasInPlace(document, schema), ...schemasOfParts(document, schema)];
    const returning = below.filter((own) => cycles.get(own.schema) === cycles.get(schema));
    if (returning.length < 2) continue; // if only one subschema leads back, the schema where paths divide is reported
    const parts = recursiveParts(document, schema, cycles);
    const repeated = parts.find((part, at) =>
      parts.some((other, index) => index > at && mayOverlap(part, other) && !areExclusive(document, part, other)),
    );
    if (repeated === undefined) continue;
    found.set(schema, [repeated.keyword, repeated.name].filter((step) => step !== "").join("/"));
  }
  return found;
}

/** The most parts to collect. Two paths to one part are enough to report a schema, and there may be very many. */
const ENOUGH = 500;

/** Returns the parts whose validation leads back to the schema, once for each path to them. */
function recursiveParts(document: OpenApiDocument, schema: Schema, cycles: Map<Schema, number>): Part[] {
  const returns = (part: Subschema): boolean => cycles.get(part.schema) === cycles.get(schema);
  const found: Part[] = [];
  const follow = (own: Schema, path: Schema[]): void => {
    if (path.includes(own) || found.length > ENOUGH) return;
    for (const part of schemasOfParts(document, own).filter(returns)) found.push({ ...part, parent: own });
    for (const member of schemasInPlace(document, own).filter(returns)) follow(member.schema, [...path, own]);
  };
  follow(schema, []);
  return found;
}

/**
 * Returns the number of each schema's cycle below a root; a schema on no cycle has a number of its own. This is
 * Tarjan's algorithm for strongly connected components.
 */
function cyclesBelow(document: OpenApiDocument, root: Schema): Map<Schema, number> {
  const cycles = new Map<Schema, number>();
  const order = new Map<Schema, number>();
  const stack: Schema[] = [];
  const visit = (schema: Schema): number => {
    const number = order.size;
    let lowest = number;
    order.set(schema, number);
    stack.push(schema);
    for (const { schema: own } of [...schemasInPlace(document, schema), ...schemasOfParts(document, schema)]) {
      if (!order.has(own)) lowest = Math.min(lowest, visit(own));
      else if (!cycles.has(own)) lowest = Math.min(lowest, order.get(own)!);
    }
    if (lowest === number) for (const member of stack.splice(stack.lastIndexOf(schema))) cycles.set(member, number);
    return lowest;
  };
  visit(root);
  return cycles;
}

const OF_ITEMS = new Set(["items", "contains", "prefixItems", "unevaluatedItems"]);

function mayOverlap(one: Part, other: Part): boolean {
  if (OF_ITEMS.has(one.keyword) || OF_ITEMS.has(other.keyword)) {
    if (!OF_ITEMS.has(one.keyword) || !OF_ITEMS.has(other.keyword)) return false;
    if (one.parent === other.parent && one.keyword !== "contains" && other.keyword !== "contains") return false;
    return one.keyword !== "prefixItems" || other.keyword !== "prefixItems" || one.name === other.name;
  }
  if (one.keyword === "propertyNames" || other.keyword === "propertyNames") return false; // names have no parts
  if (one.keyword === "properties" && other.keyword === "properties") return one.name === other.name;
  const isRest = ({ keyword }: Part) => keyword === "additionalProperties" || keyword === "unevaluatedProperties";
  return one.parent !== other.parent || !(isRest(one) || isRest(other));
}

/**
 * Returns whether at most one of two parts is validated. This holds if the parent schemas require different values of
 * the same first property. ajv stops at that property, before the part, if the part is a property as well.
 */
function areExclusive(document: OpenApiDocument, one: Part, other: Part): boolean {
  const [own, others] = [one, other].map((part) => discriminatorOf(document, part));
  return own?.name === others?.name && own !== undefined && !own.values.some((value) => others!.values.includes(value));
}

/** Returns the allowed values of the first property beside a part, if it is required. */
function discriminatorOf(
  document: OpenApiDocument,
  { keyword, parent }: Part,
): { name: string; values: unknown[] } | undefined {
  const [first] = Object.entries((parent["properties"] ?? {}) as Record<string, Schema>);
  if (keyword !== "properties" || first === undefined) return undefined;
  if (!((parent["required"] ?? []) as string[]).includes(first[0])) return undefined;
  const { const: only, enum: listed } = resolve<Schema>(document, first[1]);
  const values = only === undefined ? (listed as unknown[] | undefined) : [only];
  return values && { name: first[0], values };
}
