import type { IncomingMessage } from "node:http";
import { parseCookie } from "cookie";
import {
  type OpenApiDocument,
  type ParameterObject,
  type Schema,
  listedValuesOf,
  nonNullTypesOf,
} from "openapi-document";
import { unreadableParameter } from "../problem.ts";
import { isExact } from "./json.ts";

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

/** Returns the function that reads the values of a path template in order, a query and headers, all as sent. */
export function valuesReader({ path, query: readQuery, needsQuery, headers, cookies }: Readers) {
  return (values: string[], search: string, request: Pick<IncomingMessage, "headers">): Parameters => {
    const inPath: Parameters["path"] = {};
    for (let at = 0; at < path.length; at++) {
      const [name, read] = path[at]!;
      inPath[name] = read(values[at]!);
    }
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

export function namedHeaders(parameters: ParameterObject[], headers: Record<string, unknown>): Record<string, unknown> {
  const named: Record<string, unknown> = {};
  for (const { in: location, name } of parameters) {
    const key = name.toLowerCase();
    if (location === "header" && Object.hasOwn(headers, key)) named[name] = headers[key];
  }
  return named;
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
  const isNumber = types.has("number") ? isNumberText(text) : types.has("integer") && isInteger(text);
  if (isNumber && (!types.has("string") || String(Number(text)) === text)) return Number(text);
  return types.has("boolean") && (text === "true" || text === "false") ? text === "true" : text;
}

/** The JSON types that schemas allow, and the texts that are strings although they look like another type. */
export interface ScalarTypes {
  types: Set<string>;
  texts: Set<unknown>;
}

export function scalarTypesOf(document: OpenApiDocument, schemas: Schema[]): ScalarTypes {
  const types = new Set(schemas.flatMap((schema) => [...nonNullTypesOf(document, schema)]));
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
    return "is a number that cannot be kept exactly. Send one with fewer digits";
  if (type === "number") return "must be a number in plain decimal digits, such as 1.5";
  if (!INTEGER.test(text)) return "must be an integer in plain decimal digits, such as 10";
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema;
  return `must be an integer from ${String(minimum)} to ${String(maximum)}`;
}
