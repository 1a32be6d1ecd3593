import { choicesOf, type Discriminator, nameOf, refTo } from "./discriminator.ts";
import type { OpenApiDocument, Schema } from "../objects.ts";
import { conjuncts, isRecord, propertiesOf } from "./effective-schema.ts";
import { HOLDS_VALUES, IS_MAP, isAnnotation } from "../keywords.ts";

type Direction = "request" | "response";

/** The keyword of the fields that a direction does not have (OpenAPI 3.1, "Schema Object"). */
const HIDING = { request: "readOnly", response: "writeOnly" } as const;

/** The direction of the schemas below a key. The outermost key decides: the headers of a request's part are sent with it. */
const DIRECTIONS: Record<string, Direction> = {
  parameters: "request",
  requestBody: "request",
  requestBodies: "request",
  responses: "response",
  headers: "response",
};

const COMPONENT = /^#\/components\/schemas\/[^/]+$/;

/** The components that each direction reaches, and those with a field that only one direction has. */
interface Usage extends Record<Direction, Set<string>> {
  differing: Set<string>;
}

/**
 * Returns a document whose requests have no `readOnly` fields, and whose responses have no `writeOnly` fields. A component
 * that both use, and that differs, describes the response. Requests refer to a copy: `PetRequest` for `Pet`. With `hidden`,
 * the fields keep their names and get this schema. Other documents are returned unchanged.
 */
export function withDirections<Document extends OpenApiDocument>(document: Document, hidden?: false): Document {
  const { schemas = {} } = (document.components ?? {}) as { schemas?: Record<string, Schema> };
  const usage = usageOf(document, schemas);
  if (usage.differing.size === 0) return document;
  const names = requestNames(usage, new Set(Object.keys(schemas)));
  const copier = new Copier(
    document,
    hidden,
    (name, direction) => (direction === "request" && names.get(name)) || name,
  );
  const copies = Object.entries(schemas).flatMap(([name, schema]): [string, unknown][] => {
    if (!usage.response.has(name))
      return [[name, copier.copyOf(schema, usage.request.has(name) ? "request" : undefined)]];
    const own: [string, unknown] = [name, copier.copyOf(schema, "response")];
    const ofRequests = names.get(name);
    return ofRequests === undefined ? [own] : [own, [ofRequests, withoutIdentity(copier.copyOf(schema, "request"))]];
  });
  const copy = copier.copyOf(document) as Document;
  return { ...copy, components: { ...copy.components, schemas: Object.fromEntries(copies) } };
}

function usageOf(document: OpenApiDocument, schemas: Record<string, Schema>): Usage {
  const usage: Usage = { request: new Set(), response: new Set(), differing: new Set() };
  const referrers = new Map<string, Set<string>>();
  let owner = ""; // the document outside of the components
  const nameIn = (name: string, direction: Direction) => {
    usage[direction].add(name);
    referrers.set(name, (referrers.get(name) ?? new Set()).add(owner));
    return name;
  };
  const scanner = new Copier(document, undefined, nameIn, () => usage.differing.add(owner));
  scanner.copyOf(document);
  for (const direction of ["request", "response"] as const)
    for (const name of usage[direction]) scanner.copyOf(schemas[(owner = name)], direction); // adds the names that it reaches
  for (const name of usage.differing) for (const referrer of referrers.get(name) ?? []) usage.differing.add(referrer);
  return usage;
}

function requestNames({ request, response, differing }: Usage, taken: Set<string>): Map<string, string> {
  const names = new Map<string, string>();
  for (const name of differing) {
    if (!request.has(name) || !response.has(name)) continue;
    let free = `${name}Request`;
    for (let number = 2; taken.has(free); number++) free = `${name}Request_${number}`;
    taken.add(free);
    names.set(name, free);
  }
  return names;
}

/** Returns the references to the components that inherit from each schema by `allOf`. */
function heirsOf(document: OpenApiDocument): Map<Schema, string[]> {
  const { schemas = {} } = (document.components ?? {}) as { schemas?: Record<string, Schema> };
  const heirs = new Map<Schema, string[]>();
  for (const [name, schema] of Object.entries(schemas)) {
    for (const parent of conjuncts(document, schema)) {
      if (!heirs.has(parent)) heirs.set(parent, []);
      if (parent !== schema) heirs.get(parent)!.push(refTo(name));
    }
  }
  return heirs;
}

/** Removes the names by which other schemas refer to this one, because the component has them. */
function withoutIdentity(schema: unknown): unknown {
  const { $id: _, $anchor: __, $dynamicAnchor: ___, ...others } = schema as Schema;
  return others;
}

function isHidden(document: OpenApiDocument, field: unknown, direction: Direction): boolean {
  return conjuncts(document, field).some((part) => part[HIDING[direction]] === true);
}

/** Returns the hidden fields of a schema and of those that apply with it. */
function hiddenNames(document: OpenApiDocument, schema: Schema, direction: Direction): string[] {
  const fields = conjuncts(document, schema).flatMap((part) => Object.entries(propertiesOf(part)));
  return fields.flatMap(([name, field]) => (isHidden(document, field, direction) ? name : []));
}

/** Copies nodes without the fields that their direction hides. It does not copy component schemas. */
class Copier {
  readonly #document: OpenApiDocument;
  readonly #hidden: false | undefined;
  readonly #nameIn: (name: string, direction: Direction) => string;
  readonly #onHidden: () => void;
  #heirs: Map<Schema, string[]> | undefined;

  constructor(
    document: OpenApiDocument,
    hidden: false | undefined,
    nameIn: (name: string, direction: Direction) => string,
    onHidden: () => void = () => {},
  ) {
    this.#document = document;
    this.#hidden = hidden;
    this.#nameIn = nameIn;
    this.#onHidden = onHidden;
  }

  /** `above` has the hidden fields of the schemas that an `allOf` combines. */
  copyOf(node: unknown, direction?: Direction, above: string[] = []): unknown {
    if (typeof node !== "object" || node === null) return node;
    if (Array.isArray(node)) return node.map((item) => this.copyOf(item, direction, above));
    const isObject = direction !== undefined && ("required" in node || "allOf" in node);
    const names = isObject ? [...above, ...hiddenNames(this.#document, node, direction)] : above;
    const entries = Object.entries(node) as [string, unknown][];
    return Object.fromEntries(
      entries.map(([key, value]) => {
        if (key === "discriminator" && direction) return [key, this.#discriminator(node as Schema, direction)];
        return [key, this.#keyword(key, value, direction, names)];
      }),
    );
  }

  #keyword(key: string, value: unknown, direction: Direction | undefined, hiddenFields: string[]): unknown {
    if (key === "required" && Array.isArray(value)) return value.filter((name: string) => !hiddenFields.includes(name));
    if (HOLDS_VALUES.has(key) || isAnnotation(key)) return value;
    if (key === "$ref" && typeof value === "string" && direction) return this.#reference(value, direction);
    const below = direction ?? DIRECTIONS[key];
    if (IS_MAP.has(key) && isRecord(value)) return this.#map(value, below, key);
    return this.copyOf(value, below, key === "allOf" ? hiddenFields : []);
  }

  #map(map: object, direction: Direction | undefined, keyword: string): object {
    if (keyword === "schemas" && direction === undefined) return map;
    const entries = (Object.entries(map) as [string, unknown][]).flatMap(([name, value]): [string, unknown][] => {
      if (keyword !== "properties" || direction === undefined || !isHidden(this.#document, value, direction))
        return [[name, this.copyOf(value, direction)]];
      this.#onHidden();
      return this.#hidden === undefined ? [] : [[name, this.#hidden]];
    });
    return Object.fromEntries(entries);
  }

  #reference(ref: string, direction: Direction): string {
    return COMPONENT.test(ref) ? refTo(this.#nameIn(nameOf(ref), direction)) : ref;
  }

  /** The mapping has the values of every member and heir, because the names of the copies differ. */
  #discriminator(schema: Schema, direction: Direction): Discriminator {
    const { defaultMapping, ...discriminator } = schema["discriminator"] as Discriminator;
    this.#heirs ??= heirsOf(this.#document);
    const choices = choicesOf(this.#document, schema, this.#heirs.get(schema));
    const mapping = choices.map(([value, ref]) => [value, this.#reference(ref, direction)]);
    return {
      ...discriminator,
      mapping: Object.fromEntries(mapping) as Record<string, string>,
      ...(defaultMapping !== undefined && { defaultMapping: this.#reference(defaultMapping, direction) }),
    };
  }
}
