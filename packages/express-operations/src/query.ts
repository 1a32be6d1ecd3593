import { parse as parsePairs } from "node:querystring";
import { type OpenApiDocument, type OperationEntry, type ParameterObject, resolve, type Schema } from "./document.ts";
import { nonNullTypesOf } from "./effective-schema.ts";
import { MAX_DEPTH } from "./json.ts";
import { describe, type Problem, refuse } from "./problem.ts";

/** What a query parameter was given as: text, again for each time, or an object of such that is written in brackets. */
export type QueryValue = string | string[] | { [name: string]: QueryValue };

/** The query parameters of a request, by name. */
export type Query = Record<string, QueryValue | undefined>;

/**
 * Reads the queries of an operation: objects written in brackets (`deepObject`) are put together. Refuses percent-encoding
 * that is not valid, and every name that the operation does not declare, before anything takes it apart. A name is
 * declared as a parameter, as a field of one that spreads over the query, or as a credential. The cost is linear in the
 * length of the query.
 */
export function queryReader(
  document: OpenApiDocument,
  entry: OperationEntry,
  credentials: string[],
): (query: string) => Query {
  const parameters = entry.parameters.filter((parameter) => parameter.in === "query");
  const spread = parameters.filter((parameter) => isSpread(document, parameter));
  const names = new Set([
    ...parameters.map(({ name }) => name),
    ...spread.flatMap(({ schema }) => fieldsOf(document, schema)),
    ...credentials,
  ]);
  const objects = new Set(parameters.filter((parameter) => mayBeObject(document, parameter)).map(({ name }) => name));
  const takesAny = allowsUnknown(entry) || spread.some(({ schema }) => takesMore(document, schema));

  return (query) => {
    if (!isPercentEncoded(query)) throw refuse(400, "The query is not valid percent-encoding.");
    const given = parsePairs(query, "&", "=", { maxKeys: 0 }) as Record<string, string | string[]>;
    const taken: Query = Object.create(null) as Query;
    const trees = new Map<string, Tree>();
    for (const name in given) {
      if (names.has(name)) {
        taken[name] = given[name];
        continue;
      }
      const [root, ...path] = segmentsOf(name);
      if (path.length > 0 && (objects.has(root) || takesAny)) plant(trees, root, path, given[name]!);
      else if (takesAny && !name.includes("[")) taken[name] = given[name];
      else throw unknown(name, names);
    }
    for (const [root, tree] of trees) {
      if (taken[root] !== undefined) throw givenTwice(root);
      taken[root] = objectOf(tree);
    }
    return taken;
  };
}

/** The value that a query gives a name, if it gives one. */
export function queryValue(url: string, name: string): string | undefined {
  const value = parsePairs(queryOf(url), "&", "=", { maxKeys: 0 })[name];
  return typeof value === "string" ? value : undefined;
}

/** What stands behind the first question mark of a URL. */
export function queryOf(url: string): string {
  const start = url.indexOf("?");
  return start === -1 ? "" : url.slice(start + 1);
}

/** Whether every `%` of a query or a form is followed by what it has to be, and all of it is UTF-8. */
export function isPercentEncoded(text: string): boolean {
  try {
    if (text.includes("%")) decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The names of an object in brackets, from the outermost to the innermost, and what each stands for. */
type Tree = Map<string, Tree | string | string[]>;

/** `filter[size][min]` is `filter`, `size`, `min`; a name in which brackets are not closed one by one is whole. */
function segmentsOf(name: string): [root: string, ...path: string[]] {
  const open = name.indexOf("[");
  if (open <= 0 || !name.endsWith("]")) return [name];
  const path = name.slice(open + 1, -1).split("][");
  const isTakenApart = path.every((segment, at) => {
    const isList = segment === "" && at === path.length - 1 && at > 0;
    return (segment !== "" || isList) && !/[[\]]/.test(segment);
  });
  return isTakenApart ? [name.slice(0, open), ...path] : [name];
}

function plant(trees: Map<string, Tree>, root: string, path: string[], value: string | string[]): void {
  if (path.length > MAX_DEPTH) throw refuse(400, `${describe("query", root)} nests deeper than ${MAX_DEPTH} levels.`);
  const isList = path.at(-1) === "";
  const names = isList ? path.slice(0, -1) : path;
  let node = trees.get(root) ?? new Map();
  trees.set(root, node);
  for (const name of names.slice(0, -1)) {
    const child: Tree | string | string[] = node.get(name) ?? new Map();
    if (!(child instanceof Map)) throw givenTwice(root);
    node.set(name, child);
    node = child;
  }
  const last = names.at(-1)!;
  if (node.has(last)) throw givenTwice(root);
  node.set(last, isList ? [value].flat() : value);
}

function unknown(name: string, names: Set<string>): Problem {
  const [root = ""] = name.split("[", 1);
  const fault = names.has(root) ? "does not take these brackets" : "is not known";
  return refuse(400, `${describe("query", root)} ${fault}.`);
}

function givenTwice(name: string): Problem {
  return refuse(400, `${describe("query", name)} is given in two ways that exclude each other.`);
}

function objectOf(tree: Tree): { [name: string]: QueryValue } {
  return Object.fromEntries(Array.from(tree, ([name, node]) => [name, node instanceof Map ? valueOf(node) : node]));
}

/** Names that count from 0 are the places of a list. */
function valueOf(tree: Tree): QueryValue {
  const value = objectOf(tree);
  const isList = Array.from(tree.keys()).every((name, at) => name === String(at));
  return isList ? (Object.values(value) as string[]) : value;
}

function mayBeObject(document: OpenApiDocument, { schema, content }: ParameterObject): boolean {
  const types = nonNullTypesOf(document, schema);
  return content === undefined && (types.size === 0 || types.has("object"));
}

/** Whether the fields of a parameter are query parameters themselves: an object in the style `form`, exploded. */
function isSpread(document: OpenApiDocument, parameter: ParameterObject): boolean {
  const { style = "form", explode = true } = parameter;
  return style === "form" && explode && mayBeObject(document, parameter);
}

function fieldsOf(document: OpenApiDocument, node: Schema = {}, seen = new Set<Schema>()): string[] {
  const schema = resolve<Schema>(document, node);
  if (seen.has(schema)) return [];
  seen.add(schema);
  const members = ["allOf", "oneOf", "anyOf"].flatMap((keyword) => (schema[keyword] ?? []) as Schema[]);
  return [...Object.keys(schema["properties"] ?? {}), ...members.flatMap((member) => fieldsOf(document, member, seen))];
}

/** Whether an object that spreads over the query takes fields of any name, by a schema for them, or `true`. */
function takesMore(document: OpenApiDocument, node: Schema = {}): boolean {
  const { type, additionalProperties = false } = resolve<Schema>(document, node);
  return type === "object" && additionalProperties !== false;
}

/** What express-openapi-validator knows as an extension of operations. */
function allowsUnknown({ operation }: OperationEntry): boolean {
  return (operation["x-eov-allow-unknown-query-parameters"] ?? operation["x-allow-unknown-query-parameters"]) === true;
}
