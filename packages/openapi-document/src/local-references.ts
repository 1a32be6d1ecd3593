import type { OpenApiDocument } from "./objects.ts";
import { escapeKey, pointer } from "./references.ts";
import { HOLDS_VALUES, IS_MAP } from "./keywords.ts";

type Node = Record<string, unknown>;

/** The schema with an `$id`, or the document: its URI, which references are relative to, and its JSON pointer. */
interface Resource {
  base: string;
  root: string;
}

/** An object of a document, its resource, and its JSON pointer. */
interface Place {
  node: Node;
  resource: Resource;
  at: string;
}

/** JSON pointers of schemas: by URI; by URI or pointer of a resource, `#` and anchor; and by `#` and anchor alone. */
type Names = Map<string, Set<string>>;

/** The URI of a document without `$self`. */
const DOCUMENT = "document:/openapi";
const IDENTIFIERS = ["$id", "$anchor", "$dynamicAnchor", "$dynamicRef"];

/**
 * Returns a document whose references are JSON pointers from its root. `$id` is the base of the references below it, and
 * `$anchor` names a schema (JSON Schema 2020-12, section 8.2). Many documents write pointers from the root below an `$id`,
 * which are followed too. `$dynamicRef` becomes `$ref`, which is the same where one schema alone has its `$dynamicAnchor`.
 * Throws, naming the place, for an `$id` that is not a URI reference, and for a reference below an `$id` that does not lead to
 * one schema. Returns a document without these keywords itself.
 */
export function withLocalReferences<Document extends OpenApiDocument>(document: Document): Document {
  const { $self } = document as { $self?: unknown };
  if (typeof $self !== "string" && !hasIdentifiers(document)) return document;
  const copy = structuredClone(document);
  const root = typeof $self === "string" ? uriOf($self, DOCUMENT, "#") : DOCUMENT;
  const places = placesOf(copy, root);
  const find = finderOf(document, namesOf(places, root));
  for (const place of places) localize(document, place, root, find);
  for (const { node } of places)
    for (const keyword of IDENTIFIERS) if (typeof node[keyword] === "string") delete node[keyword];
  return copy;
}

function hasIdentifiers(node: object, seen = new Set<object>()): boolean {
  if (seen.has(node)) return false;
  seen.add(node);
  for (const key in node) {
    const value = (node as Node)[key];
    if (
      typeof value === "string"
        ? key.startsWith("$") && IDENTIFIERS.includes(key)
        : isNode(value) && hasIdentifiers(value, seen)
    )
      return true;
  }
  return false;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null;
}

/** Returns the objects of a document other than values and maps of names, each once. */
function placesOf(document: OpenApiDocument, root: string): Place[] {
  const seen = new Set<unknown>();
  const places: Place[] = [];
  const visit = (node: unknown, outer: Resource, at: string, isMap: boolean): void => {
    if (typeof node !== "object" || node === null || seen.has(node)) return;
    seen.add(node);
    const { $id } = (isMap ? {} : node) as Node;
    const base = typeof $id === "string" ? uriOf($id, outer.base, at) : outer.base;
    const resource = typeof $id !== "string" || $id.startsWith("#") ? outer : { base, root: at };
    if (!isMap) places.push({ node: node as Node, resource, at });
    for (const [key, value] of Object.entries(node))
      if (isMap || !holdsValue(key, value))
        visit(value, resource, `${at}/${pointerKey(key)}`, !isMap && (IS_MAP.has(key) || key === "examples"));
  };
  visit(document, { base: root, root: "#" }, "#", false);
  return places;
}

/** Returns whether the value of a key is data, in which `$id` and `$ref` have no meaning. */
export function holdsValue(key: string, value: unknown): boolean {
  if (key === "examples") return Array.isArray(value);
  return HOLDS_VALUES.has(key) || key.startsWith("x-") || ["example", "value", "dataValue"].includes(key);
}

function namesOf(places: Place[], root: string): Names {
  const names: Names = new Map([[root, new Set(["#"])]]);
  const add = (name: string, at: string) => names.set(name, (names.get(name) ?? new Set()).add(at));
  for (const { node, resource, at } of places) {
    const { base } = resource;
    const { $id, $anchor, $dynamicAnchor } = node;
    const [uri, fragment] = typeof $id === "string" ? $id.split("#") : []; // a fragment is an anchor of older drafts
    if (uri !== undefined && uri !== "") add(base, at);
    for (const anchor of [$anchor, $dynamicAnchor, fragment])
      if (typeof anchor === "string") for (const from of [resource.root, base, ""]) add(`${from}#${anchor}`, at);
    if (typeof $dynamicAnchor === "string") add(`dynamic#${$dynamicAnchor}`, at);
  }
  return names;
}

/** Returns the JSON pointers from the root that a reference may have. */
type Find = (reference: string, resource: Resource, isDynamic?: boolean) => string[];

function finderOf(document: OpenApiDocument, names: Names): Find {
  const exists = (at: string) => {
    try {
      return at === "#" || pointer(document, at) !== undefined;
    } catch {
      return false;
    }
  };
  return (reference, { base, root }, isDynamic = false) => {
    const [uri = "", fragment = ""] = reference.split("#");
    const target = uri === "" || URL.canParse(uri, base) ? uriOf(uri, base, "") : undefined;
    const isOwn = target === base; // other schemas may have the same `$id`, such as copies
    if (fragment === "" || fragment.startsWith("/")) {
      const below = [...(isOwn ? [root] : (names.get(target ?? "") ?? []))]
        .map((at) => `${at}${fragment}`)
        .filter(exists);
      return below.length === 0 && uri === "" ? [`#${fragment}`].filter(exists) : below;
    }
    const anchors = [...(isOwn ? [root] : []), target, ...(uri === "" ? [""] : [])];
    const found = anchors.map((from) => names.get(`${from}#${fragment}`)).find((places) => places !== undefined);
    const dynamic = isDynamic ? names.get(`dynamic#${fragment}`) : undefined;
    const isStatic = found !== undefined && ![...found].some((at) => dynamic?.has(at));
    return [...((isStatic ? found : dynamic) ?? [])];
  };
}

/** Replaces the references of an object in place. References to other documents stay, as do ambiguous ones to anchors. */
function localize(document: OpenApiDocument, { node, resource, at }: Place, root: string, find: Find): void {
  const { schemas = {} } = (document.components ?? {}) as { schemas?: object };
  const { $ref, $dynamicRef, discriminator } = node;
  const { base } = resource;
  const local = (reference: string, isDynamic?: boolean): string => {
    const found = find(reference, resource, isDynamic);
    if (found.length === 1) return found[0]!;
    if (base === root && (found.length === 0 || reference.startsWith("#"))) return reference;
    const fault = found.length === 0 ? "leads to no schema of the document" : `fits ${found.length} schemas`;
    throw new Error(
      `${at}: The reference ${reference} ${fault}. It is relative to the $id ${base}. Correct one of them.`,
    );
  };
  if (typeof $ref === "string") node["$ref"] = local($ref);
  if (typeof $dynamicRef === "string") {
    const target = { $ref: local($dynamicRef, true) };
    if ($ref === undefined) Object.assign(node, target);
    else node["allOf"] = [...((node["allOf"] ?? []) as unknown[]), target];
  }
  if (typeof discriminator !== "object" || discriminator === null) return;
  const targetOf = (name: unknown) => {
    const found = typeof name !== "string" || name in schemas ? [] : find(name, resource);
    return found.length === 1 ? found[0] : name;
  };
  const { mapping, defaultMapping } = discriminator as { mapping?: Node; defaultMapping?: unknown };
  for (const [value, name] of Object.entries(mapping ?? {})) mapping![value] = targetOf(name);
  if (defaultMapping !== undefined) Object.assign(discriminator, { defaultMapping: targetOf(defaultMapping) });
}

/** Resolves a URI reference without its fragment (RFC 3986, section 5.2). */
function uriOf(reference: string, base: string, at: string): string {
  const uri = reference.split("#")[0]!;
  if (uri === "") return base;
  if (URL.canParse(uri, base)) return new URL(uri, base).href;
  const relative = base === DOCUMENT ? "" : ` below ${base}`;
  throw new Error(
    `${at}: The $id ${reference} is not a URI reference${relative}. Write a URI, such as https://example.com/pet.`,
  );
}

function pointerKey(key: string): string {
  return escapeKey(key).replaceAll("%", "%25");
}
