import type { IncomingHttpHeaders } from "node:http";
import { parseCookie } from "cookie";
import { listedValuesOf, nonNullTypesOf, normalizePath, type OpenApiDocument, type Schema } from "openapi-document";
import { unreadableParameter } from "../problem.ts";
import { convertsNumbers, extensionsOf } from "../formats.ts";
import { isExact } from "./json.ts";

/** Path templates as a tree of their segments. */
export interface RouteTree<Route> {
  literals: Map<string, RouteTree<Route>>;
  /**
   * Segments of text and parameters, such as `{name}.json`. They are tried before a parameter that matches any segment.
   */
  patterns: { texts: string[]; node: RouteTree<Route> }[];
  parameter?: RouteTree<Route>;
  route?: Route;
}

/**
 * Returns the route of the template that matches a raw path, and its parameter values in order, still percent-encoded. Values
 * are never empty. Literal segments take precedence over parameters (OpenAPI 3.1, "Paths Object"). The cost depends on the number
 * of segments in the path, not on the number of templates.
 */
export function findRoute<Route>(
  templates: RouteTree<Route>,
  sent: string,
): { route: Route; values: string[] } | undefined {
  const path = sent.includes("%") ? normalizePath(sent) : sent;
  const values: string[] = [];
  const route = match(templates, path, slashFrom(path, 0), values);
  return route === undefined ? undefined : { route, values };
}

/** Returns the route that matches the rest of a path, from the slash at `at` on. */
function match<Route>(node: RouteTree<Route>, path: string, at: number, values: string[]): Route | undefined {
  if (at === path.length) return node.route;
  const end = slashFrom(path, at + 1);
  const segment = path.slice(at + 1, end);
  const literal = node.literals.get(segment);
  const found = literal && match(literal, path, end, values);
  if (found !== undefined || segment === "") return found;
  const taken = values.length;
  for (const { texts, node: child } of node.patterns) {
    const between = valuesBetween(texts, segment);
    if (between === undefined) continue;
    values.push(...between);
    const deeper = match(child, path, end, values);
    if (deeper !== undefined) return deeper;
    values.length = taken;
  }
  if (node.parameter === undefined) return undefined;
  values.push(segment);
  const deeper = match(node.parameter, path, end, values);
  if (deeper === undefined) values.length = taken;
  return deeper;
}

/**
 * Returns the non-empty values between the texts of a template segment. A later value is as short as possible, so that
 * `{name}.{extension}` divides at the last dot. The time is linear: the last occurrence of each text suffices, because
 * an earlier one leaves less for the values before it.
 */
function valuesBetween([first = "", ...others]: string[], segment: string): string[] | undefined {
  const last = others.pop()!;
  if (!segment.startsWith(first) || !segment.endsWith(last)) return undefined;
  const values: string[] = [];
  let end = segment.length - last.length;
  for (const text of others.toReversed()) {
    const start = segment.lastIndexOf(text, end - 1 - text.length);
    if (start <= first.length) return undefined;
    values.unshift(segment.slice(start + text.length, end));
    end = start;
  }
  if (end <= first.length) return undefined;
  values.unshift(segment.slice(first.length, end));
  return values;
}

/** Returns the index of the next slash, or the length of the path. */
function slashFrom(path: string, start: number): number {
  const at = path.indexOf("/", start);
  return at === -1 ? path.length : at;
}

/** Returns the query of a URL, without its question mark. */
export function queryOf(url: string): string {
  const start = url.indexOf("?");
  return start === -1 ? "" : url.slice(start + 1);
}

/** The parameters of a request, by location. Header names are lower case. */
export interface Parameters {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  headers: Record<string, unknown>;
  cookies: Record<string, unknown>;
  /** Undeclared query parameters that the operation allows. They are not validated. */
  undeclared: object | undefined;
}

/** Returns the value of a text of a parameter, still encoded. */
export type Read = (raw: string) => unknown;

/** How each parameter of an operation is read, by name. Names of headers are lower case. */
interface Readers {
  path: [string, Read][];
  query: (search: string) => { values: Record<string, unknown>; others: object | undefined };
  needsQuery: boolean;
  headers: [string, Read][];
  cookies: [string, Read][];
}

/** Returns the function that reads the values of a path template in order, and those of a URL's query and of headers. */
export function valuesReader({ path, query: readQuery, needsQuery, headers, cookies }: Readers) {
  return (values: string[], request: { url: string; headers: IncomingHttpHeaders }): Parameters => {
    const inPath: Parameters["path"] = {};
    for (let at = 0; at < path.length; at++) {
      const [name, read] = path[at]!;
      inPath[name] = read(values[at]!);
    }
    const search = queryOf(request.url);
    const query = search === "" && !needsQuery ? { values: {}, others: undefined } : readQuery(search);
    return {
      path: inPath,
      query: query.values,
      headers: readEach(headers, request.headers),
      cookies: cookies.length === 0 ? {} : readEach(cookies, cookieTexts(request.headers.cookie)),
      undeclared: query.others,
    };
  };
}

function readEach(readers: [string, Read][], texts: Record<string, string | string[] | undefined>) {
  const values: Record<string, unknown> = {};
  for (const [name, read] of readers) {
    const text = texts[name];
    if (text !== undefined && Object.hasOwn(texts, name)) values[name] = read(String(text));
  }
  return values;
}

/** Returns the cookies of a request, still percent-encoded. */
function cookieTexts(header = ""): Record<string, string | undefined> {
  return parseCookie(header, { decode: (text) => text });
}

/** Returns the function that decodes a value of the path. */
export function segmentDecoder(name: string): (raw: string) => string {
  return (raw) => {
    try {
      return raw.includes("%") ? decodeURIComponent(raw) : raw;
    } catch {
      throw unreadableParameter("path", name, "is not valid percent-encoding. Write a percent sign itself as %25");
    }
  };
}

/** Returns the reader of a parameter with one text that its types alone decide. */
export function scalarReader(types: Set<string>, decode: (raw: string) => string): Read {
  return (raw) => scalarOf(decode(raw), types);
}

const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * Returns the value of a text by the JSON types that its schema allows: a number in plain decimal digits, an integer that
 * a double holds exactly, `true` or `false`. Other texts stay texts. Where strings are allowed as well, only the shortest
 * text of a number becomes a number.
 */
export function scalarOf(text: string, types: Set<string>): string | number | boolean {
  const isNumber = types.has("number")
    ? isNumberText(text)
    : types.has("integer")
      ? isInteger(text)
      : types.has(ROUNDED) && NUMBER.test(text);
  if (isNumber && (!types.has("string") || String(Number(text)) === text)) return Number(text);
  return types.has("boolean") && (text === "true" || text === "false") ? text === "true" : text;
}

/** Stands among types for numbers that a double may change, because their text is kept. */
const ROUNDED = "rounded";

/** The JSON types that schemas allow, and the texts that are strings although they look like another type. */
export interface ScalarTypes {
  types: Set<string>;
  texts: Set<unknown>;
}

export function scalarTypesOf(document: OpenApiDocument, schemas: Schema[]): ScalarTypes {
  const types = new Set(schemas.flatMap((schema) => [...nonNullTypesOf(document, schema)]));
  const numbers = extensionsOf(document)?.numbers;
  if (
    numbers !== undefined &&
    (types.has("integer") || types.has("number")) &&
    schemas.some((schema) => convertsNumbers(document, schema))
  ) {
    types.delete("integer");
    types.delete("number");
    types.add(numbers === "rounded" ? ROUNDED : "string");
  }
  const isAmbiguous = types.has("string") && types.size > 1;
  return { types, texts: new Set(isAmbiguous ? schemas.flatMap((schema) => listedValuesOf(document, schema)) : []) };
}

function isNumberText(text: string): boolean {
  return NUMBER.test(text) && isExact(text.replace("-", ""));
}

function isInteger(text: string): boolean {
  return INTEGER.test(text) && Number.isSafeInteger(Number(text));
}

/** Returns whether a text is a number in plain decimal digits that a double would turn into another one. */
export function isInexactNumber(text: string): boolean {
  return NUMBER.test(text) && !isNumberText(text);
}

/** Returns the fault of a text that is no number of a type, as the end of a sentence. */
export function numberFault(text: string, type: "number" | "integer", schema: Schema): string {
  if (type === "number" && NUMBER.test(text))
    return "is a number that cannot be represented exactly. Send one with fewer digits";
  if (type === "number") return "must be a number in plain decimal digits, such as 1.5";
  if (!INTEGER.test(text)) return "must be an integer in plain decimal digits, such as 10";
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema;
  return `must be an integer from ${String(minimum)} to ${String(maximum)}`;
}
