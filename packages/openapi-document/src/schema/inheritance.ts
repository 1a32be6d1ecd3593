import type { OpenApiDocument, Schema } from "../objects.ts";
import { resolve } from "../references.ts";
import { isRecord } from "./effective-schema.ts";

const CHOICES = ["oneOf", "anyOf"] as const;
const IN_PLACE = ["allOf", ...CHOICES] as const;

/** The schemas that lead back to a schema from its choice, by the keyword of the choice. */
type Circles = Map<Schema, Map<string, Set<Schema>>>;

/**
 * Returns a document in which each child inherits from its parent, even if the parent lists its children. Documents write
 * inheritance as `Pet: { oneOf: [Cat, Dog] }` and `Cat: { allOf: [Pet, …] }`, which is circular. The `allOf` of such a
 * child gets a copy of the parent without the choice. Returns other documents as they are.
 */
export function withInheritance(document: OpenApiDocument): OpenApiDocument {
  const { schemas = {} } = (document.components ?? {}) as { schemas?: Record<string, Schema> };
  const circles = circlesOf(document, Object.values(schemas));
  if (circles.size === 0) return document;
  return { ...document, components: { ...document.components, schemas: inheriting(document, schemas, circles) } };
}

function circlesOf(document: OpenApiDocument, schemas: Schema[]): Circles {
  const circles: Circles = new Map();
  for (const parent of schemas.filter(isRecord) as Schema[]) {
    for (const keyword of CHOICES) {
      const below = new Set<Schema>();
      for (const member of membersOf(parent, keyword)) collectInPlace(document, member, below);
      if (below.has(parent)) circles.set(parent, (circles.get(parent) ?? new Map()).set(keyword, below));
    }
  }
  return circles;
}

function collectInPlace(document: OpenApiDocument, schema: Schema, found: Set<Schema>): void {
  if (found.has(schema)) return;
  found.add(schema);
  const target = targetOf(document, schema);
  if (target !== undefined) collectInPlace(document, target, found);
  for (const keyword of IN_PLACE)
    for (const member of membersOf(schema, keyword)) collectInPlace(document, member, found);
}

function membersOf(schema: Schema, keyword: string): Schema[] {
  const members = schema[keyword];
  return Array.isArray(members) ? (members.filter(isRecord) as Schema[]) : [];
}

/** Returns the target of a schema's reference. A broken reference is reported elsewhere. */
function targetOf(document: OpenApiDocument, schema: Schema): Schema | undefined {
  if (typeof schema.$ref !== "string") return undefined;
  try {
    const target = resolve<unknown>(document, { $ref: schema.$ref });
    return isRecord(target) ? target : undefined;
  } catch {
    return undefined;
  }
}

/** Returns copies of the schemas in which no child leads back to its parent's choice. */
function inheriting(document: OpenApiDocument, schemas: object, circles: Circles): object {
  const copies = new Map<object, unknown>();
  const inherited = new Set<Schema>();

  const copyOf = (node: unknown): unknown => {
    if (typeof node !== "object" || node === null) return node;
    const known = copies.get(node);
    if (known !== undefined) return known;
    const copy = Array.isArray(node) ? [] : {};
    copies.set(node, copy);
    return Object.assign(copy, copyOfEntries(node, []));
  };

  const copyOfEntries = (node: object, omitted: string[]): object => {
    if (Array.isArray(node)) return node.map(copyOf);
    const kept = Object.entries(node).filter(([key]) => !omitted.includes(key));
    return Object.fromEntries(
      kept.map(([key, value]) => [key, key === "allOf" ? allOf(node as Schema, value) : copyOf(value)]),
    );
  };

  const allOf = (child: Schema, members: unknown): unknown =>
    Array.isArray(members)
      ? members.map((member: unknown) => parentFor(child, member) ?? copyOf(member))
      : copyOf(members);

  /** Returns the copy of a parent from which a child inherits, or undefined if the two are not circular. */
  const parentFor = (child: Schema, member: unknown): Schema | undefined => {
    if (!isRecord(member)) return undefined;
    const parent = targetOf(document, member);
    const choices = parent && circles.get(parent);
    if (choices === undefined || inherited.has(parent!)) return undefined;
    const circular = [...choices].flatMap(([keyword, below]) => (below.has(child) ? keyword : []));
    if (circular.length === 0) return undefined;
    inherited.add(parent!); // a parent that inherits from itself stays a circle, which is reported
    const copy = copyOfEntries(parent!, [...circular, "discriminator"]) as Schema;
    inherited.delete(parent!);
    const { $ref: _, ...beside } = member;
    if (Object.keys(beside).length === 0 || document.openapi.startsWith("3.0.")) return copy;
    const { allOf: members = [], ...own } = copyOf(beside) as { allOf?: Schema[] };
    return { ...own, allOf: [copy, ...members] };
  };

  return copyOf(schemas) as object;
}
