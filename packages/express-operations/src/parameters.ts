import { parse as parseQuery } from "node:querystring";
import { parseCookie } from "cookie";
import type { OpenApiDocument, ParameterObject, Schema } from "./document.ts";
import { resolve } from "./document.ts";
import { printable, refuse } from "./problem.ts";

const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const DELIMITER: Record<string, string> = { spaceDelimited: " ", pipeDelimited: "|" };
const PLACE = { path: "Path parameter", query: "Query parameter", header: "Header", cookie: "Cookie" } as const;

type Values = Record<string, string | string[] | undefined>;

/** The raw parameters of a request, by place. Header names are lower case. */
export interface RawParameters {
  path: Values;
  query: Values;
  headers: Values;
  cookies: Values;
}

/** Takes a request apart; refuses a path that is not valid percent-encoded UTF-8. */
export function rawParameters(
  names: string[],
  values: string[],
  query: string,
  headers: Values,
  hasCookies: boolean,
): RawParameters {
  const path: Values = {};
  for (const [index, name] of names.entries()) path[name] = decodeSegment(name, values[index]!);
  const cookies = hasCookies && typeof headers["cookie"] === "string" ? parseCookie(headers["cookie"]) : {};
  return { path, query: { ...parseQuery(query, "&", "=", { maxKeys: 0 }) }, headers: { ...headers }, cookies };
}

/**
 * What this package demands beyond the schema, which coercion would let pass: numbers in plain decimal digits, integers
 * a double can hold, and no parameter given twice unless it is an array.
 */
export function strictness(document: OpenApiDocument, parameters: ParameterObject[]): (raw: RawParameters) => void {
  const checks = parameters.flatMap((parameter) => {
    const check = strictCheck(document, parameter);
    return check === undefined ? [] : [{ parameter, check }];
  });
  return (raw) => {
    for (const { parameter, check } of checks) {
      const value = valueOf(raw, parameter);
      const fault = value === undefined ? undefined : check(value);
      if (fault !== undefined) throw refuse(400, `${describe(parameter.in, parameter.name)} ${fault}.`);
    }
  };
}

/** How a message names a parameter. A name that came from the request is repeated only when it is a plain word. */
export function describe(place: keyof typeof PLACE, name: string): string {
  const known = printable(name);
  return known === undefined ? `A ${PLACE[place].toLowerCase()}` : `${PLACE[place]} "${known}"`;
}

/** The value of a declared parameter. */
export function valueOf<Value>(
  values: {
    path: Record<string, Value>;
    query: Record<string, Value>;
    headers: Record<string, Value>;
    cookies: Record<string, Value>;
  },
  parameter: ParameterObject,
): Value | undefined {
  switch (parameter.in) {
    case "path":
      return values.path[parameter.name];
    case "query":
      return values.query[parameter.name];
    case "header":
      return values.headers[parameter.name.toLowerCase()];
    case "cookie":
      return values.cookies[parameter.name];
  }
}

function strictCheck(document: OpenApiDocument, parameter: ParameterObject) {
  const types = typesOf(document, parameter.schema);
  const isArray = types.has("array");
  const mayRepeat = isArray || types.has("object") || types.size === 0;
  const numeric = numericCheck(
    isArray ? typesOf(document, resolve<Schema>(document, parameter.schema ?? {}).items) : types,
  );
  if (mayRepeat && numeric === undefined) return undefined;
  const delimiter = isArray && isDelimited(parameter) ? (DELIMITER[parameter.style ?? ""] ?? ",") : undefined;
  return (value: string | string[]): string | undefined => {
    if (Array.isArray(value) && !mayRepeat) return "must be given once";
    const items = [value].flat().flatMap((item) => (delimiter === undefined ? item : item.split(delimiter)));
    return numeric && items.map(numeric).find((fault) => fault !== undefined);
  };
}

/** The JSON types a schema allows besides null; empty when it does not say. */
function typesOf(document: OpenApiDocument, node: Schema | undefined): Set<string> {
  const schema = resolve<Schema>(document, node ?? {});
  const own = [schema.type ?? []].flat().filter((type) => type !== "null");
  if (own.length > 0) return new Set(own);
  const members = (keyword: "allOf" | "oneOf" | "anyOf") =>
    ((schema[keyword] ?? []) as Schema[]).map((member) => typesOf(document, member));
  const narrowed = members("allOf").find((types) => types.size > 0);
  if (narrowed !== undefined) return narrowed;
  const choices = [...members("oneOf"), ...members("anyOf")];
  return choices.every((types) => types.size > 0) ? new Set(choices.flatMap((types) => [...types])) : new Set();
}

/** Query and cookie parameters are exploded unless they say otherwise; the others never are. */
function isDelimited(parameter: ParameterObject): boolean {
  return parameter.explode === false || parameter.in === "path" || parameter.in === "header";
}

function numericCheck(types: Set<string>): ((text: string) => string | undefined) | undefined {
  if (types.size !== 1) return undefined;
  if (types.has("number")) {
    return (text) => (NUMBER.test(text) ? undefined : "must be a number in plain decimal digits");
  }
  if (!types.has("integer")) return undefined;
  return (text) => {
    if (!INTEGER.test(text)) return "must be an integer in plain decimal digits";
    return Number.isSafeInteger(Number(text)) ? undefined : "must be an integer within ±9007199254740991";
  };
}

function decodeSegment(name: string, value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw refuse(400, `${describe("path", name)} is not valid percent-encoding.`);
  }
}
