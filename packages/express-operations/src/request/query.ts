import { parse as parsePairs } from "node:querystring";
import {
  type OpenApiDocument,
  type OperationEntry,
  type ParameterObject,
  resolve,
  type Schema,
} from "../document/document.ts";
import { nonNullTypesOf } from "../document/effective-schema.ts";
import { MAX_DEPTH } from "./json.ts";
import { shortened } from "../lists.ts";
import { describe, type Problem, createProblem } from "../problem.ts";
import { queryOf } from "./path-router.ts";

/** The value of a query parameter: a text, a list, or an object in brackets. */
export type QueryValue = string | QueryValue[] | { [name: string]: QueryValue };

/** The query parameters of a request, by name. */
export type Query = Record<string, QueryValue | undefined>;

/** A parsed query. */
export interface ReadQuery {
  /** The declared parameters. */
  declared: Query;
  /** Undeclared parameters that the operation allows. They are not validated. */
  undeclared: Query;
}

/** The parameter names of an operation's queries. */
interface Declaration {
  names: Set<string>;
  /** Parameters that may be objects in brackets. */
  objects: Set<string>;
  /** Exploded objects, with their fields. Each field is a query parameter. */
  spread: Map<string, string[]>;
  allowsAnyName: boolean;
}

/**
 * Returns the query parser of an operation. It rejects invalid percent-encoding and undeclared names before any other
 * parsing. It assembles objects in brackets. Its time is linear in the length of the query.
 */
export function queryReader(
  document: OpenApiDocument,
  entry: OperationEntry,
  credentials: string[],
): (query: string) => ReadQuery {
  const declaration = declarationOf(document, entry, credentials);
  return (query) => {
    if (!isPercentEncoded(query))
      throw createProblem(400, "The query is not valid percent-encoding. Write a percent sign itself as %25.");
    return readQuery(parsePairs(query, "&", "=", { maxKeys: 0 }) as Pairs, declaration);
  };
}

function declarationOf(document: OpenApiDocument, entry: OperationEntry, credentials: string[]): Declaration {
  const parameters = entry.parameters.filter((parameter) => parameter.in === "query");
  const objects = parameters.filter((parameter) => mayBeObject(document, parameter));
  const explodedParameters = parameters.filter((parameter) => isExplodedObject(document, parameter));
  const exploded = new Map(
    explodedParameters.map(({ name, schema }) => [name, fieldsOf(document, schema).filter((field) => field !== name)]),
  );
  return {
    names: new Set([...parameters.map(({ name }) => name), ...credentials, ...[...exploded.values()].flat()]),
    objects: new Set(objects.map(({ name }) => name)),
    spread: exploded,
    allowsAnyName:
      hasAllowUnknownExtension(entry) ||
      explodedParameters.some(({ schema }) => hasAdditionalProperties(document, schema)),
  };
}

/** The texts of a query, by name. */
type Pairs = Record<string, string | string[]>;

function readQuery(pairs: Pairs, declaration: Declaration): ReadQuery {
  const { names, objects, spread, allowsAnyName } = declaration;
  const declared: Query = Object.create(null) as Query;
  const undeclared: Query = Object.create(null) as Query;
  const assemblies = new Map<string, Assembly>();
  for (const name in pairs) {
    const value = pairs[name]!;
    if (names.has(name)) {
      declared[name] = value;
      continue;
    }
    const [root, ...path] = segmentsOf(name);
    const isAny = allowsAnyName && !names.has(root);
    const isList = path[0] === ""; // an empty segment is the last one
    if (isAny && !name.includes("[")) undeclared[name] = value;
    else if (isAny && isList && pairs[root] === undefined) undeclared[root] = [value].flat();
    else if (path.length > 0 && !isList && (isAny || objects.has(root))) insert(assemblies, root, path, value);
    else throw nameProblem(name, declaration);
  }
  for (const [name, assembly] of assemblies) {
    const values = names.has(name) ? declared : undeclared;
    if (values[name] !== undefined) throw conflictProblem(name);
    values[name] = names.has(name) ? objectOf(assembly) : valueOf(assembly);
  }
  for (const [name, fields] of spread) {
    if (declared[name] !== undefined && fields.some((field) => declared[field] !== undefined))
      throw conflictProblem(name);
  }
  return { declared, undeclared };
}

/** Returns the value of a query parameter, or undefined unless the URL gives the parameter exactly once. */
export function queryValue(url: string, name: string): string | undefined {
  const value = parsePairs(queryOf(url), "&", "=", { maxKeys: 0 })[name];
  return typeof value === "string" ? value : undefined;
}

/** Returns whether a text is valid percent-encoding of UTF-8. */
export function isPercentEncoded(text: string): boolean {
  try {
    return !text.includes("%") || decodeURIComponent(text) !== ""; // bundlers remove a call whose result is unused
  } catch {
    return false;
  }
}

/** An object in brackets during assembly, by field name. */
type Assembly = Map<string, Assembly | string | string[]>;

/** Splits `filter[size][min]` into `filter`, `size`, `min`. A name with malformed brackets stays whole. */
function segmentsOf(name: string): [root: string, ...path: string[]] {
  const open = name.indexOf("[");
  if (open <= 0 || !name.endsWith("]")) return [name];
  const path = name.slice(open + 1, -1).split("][");
  const isWellFormed = path.every(
    (segment, at) => !/[[\]]/.test(segment) && (segment !== "" || at === path.length - 1),
  );
  return isWellFormed ? [name.slice(0, open), ...path] : [name];
}

/** Inserts a value at its path in the object of a root. A path that ends in `[]` makes it a list. */
function insert(assemblies: Map<string, Assembly>, root: string, path: string[], value: string | string[]): void {
  if (path.length > MAX_DEPTH)
    throw createProblem(400, `${describe("query", root)} nests deeper than the ${MAX_DEPTH} levels allowed.`);
  const isList = path.at(-1) === "";
  const names = isList ? path.slice(0, -1) : path;
  let node: Assembly = assemblies.get(root) ?? new Map();
  assemblies.set(root, node);
  for (const name of names.slice(0, -1)) {
    const child: Assembly | string | string[] = node.get(name) ?? new Map();
    if (!(child instanceof Map)) throw conflictProblem(root);
    node.set(name, child);
    node = child;
  }
  const last = names.at(-1)!;
  if (node.has(last)) throw conflictProblem(root);
  node.set(last, isList ? [value].flat() : value);
}

function nameProblem(name: string, declaration: Declaration): Problem {
  const [root = ""] = name.split("[", 1);
  return createProblem(400, `${describe("query", root)} ${faultIn(root, declaration)}.`);
}

function faultIn(root: string, { names, objects, allowsAnyName }: Declaration): string {
  if (objects.has(root) || (allowsAnyName && !names.has(root)))
    return "does not take these brackets. Write each of its fields as parameter[field]=value";
  if (names.has(root)) return "does not take these brackets. Write its name alone";
  return `is not known. ${names.size > 0 ? `Known are: ${shortened([...names])}` : "This operation takes none"}`;
}

function conflictProblem(name: string): Problem {
  return createProblem(400, `${describe("query", name)} is given both as a whole and in parts. Give it once.`);
}

function objectOf(assembly: Assembly): { [name: string]: QueryValue } {
  return Object.fromEntries(Array.from(assembly, ([name, node]) => [name, node instanceof Map ? valueOf(node) : node]));
}

/** Returns an array if the names are 0, 1, 2, …, else an object. */
function valueOf(assembly: Assembly): QueryValue {
  const value = objectOf(assembly);
  return Object.keys(value).every((name, at) => name === String(at)) ? Object.values(value) : value;
}

function mayBeObject(document: OpenApiDocument, { schema, content }: ParameterObject): boolean {
  const types = nonNullTypesOf(document, schema);
  return content === undefined && (types.size === 0 || types.has("object"));
}

/**
 * Returns whether each field of a parameter is a query parameter of its own. This holds for exploded objects in the
 * style `form`.
 */
export function isExplodedObject(document: OpenApiDocument, parameter: ParameterObject): boolean {
  const { in: where, style = "form", explode = true } = parameter;
  return where === "query" && style === "form" && explode && mayBeObject(document, parameter);
}

/** Returns the names of the fields that a schema and the schemas it combines declare. */
export function fieldsOf(document: OpenApiDocument, node: Schema = {}, seen = new Set<Schema>()): string[] {
  const schema = resolve<Schema>(document, node);
  if (seen.has(schema)) return [];
  seen.add(schema);
  const members = ["allOf", "oneOf", "anyOf"].flatMap((keyword) => (schema[keyword] ?? []) as Schema[]);
  return [...Object.keys(schema["properties"] ?? {}), ...members.flatMap((member) => fieldsOf(document, member, seen))];
}

/** Returns whether an object allows additional properties. */
function hasAdditionalProperties(document: OpenApiDocument, node: Schema = {}): boolean {
  const { type, additionalProperties = false } = resolve<Schema>(document, node);
  return type === "object" && additionalProperties !== false;
}

/** Returns whether an extension of express-openapi-validator allows undeclared query parameters. */
function hasAllowUnknownExtension({ operation }: OperationEntry): boolean {
  return (operation["x-eov-allow-unknown-query-parameters"] ?? operation["x-allow-unknown-query-parameters"]) === true;
}
