import { parse as parseQuery } from "node:querystring";
import { parseCookie } from "cookie";
import type { OpenApiDocument, ParameterObject, Schema } from "./document.ts";
import { resolve } from "./document.ts";
import { parseJson } from "./json.ts";
import { isJson } from "./media-type.ts";
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

/** Takes a request apart; refuses a path or a query that is not valid percent-encoded UTF-8. */
export function rawParameters(
  names: string[],
  values: string[],
  query: string,
  headers: Values,
  hasCookies: boolean,
): RawParameters {
  const path: Values = {};
  for (const [index, name] of names.entries()) path[name] = decodeSegment(name, values[index]!);
  if (!isPercentEncoded(query)) throw refuse(400, "The query is not valid percent-encoding.");
  const cookies = hasCookies && typeof headers["cookie"] === "string" ? parseCookie(headers["cookie"]) : {};
  return { path, query: parseQuery(query, "&", "=", { maxKeys: 0 }), headers, cookies };
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

/** Finds what is wrong with the raw value of one parameter; undefined when nothing is. */
type StrictCheck = (raw: RawParameters) => string | undefined;

/**
 * What this package demands beyond the schema, which coercion would let pass: numbers in plain decimal digits, integers
 * a double can hold, no parameter given twice unless it is an array, and JSON in which nothing is lost.
 */
export function strictness(document: OpenApiDocument, parameters: ParameterObject[]): (raw: RawParameters) => void {
  const checks = parameters.flatMap((parameter) => {
    return strictChecks(document, parameter).map((check) => ({ parameter, check }));
  });
  return (raw) => {
    for (const { parameter, check } of checks) {
      const fault = check(raw);
      if (fault !== undefined) throw refuse(400, `${describe(parameter.in, parameter.name)} ${fault}.`);
    }
  };
}

/** How a message names a parameter. A name that came from the request is repeated only when it is a plain word. */
export function describe(place: keyof typeof PLACE, name: string): string {
  const known = printable(name);
  return known === undefined ? `A ${PLACE[place].toLowerCase()}` : `${PLACE[place]} "${known}"`;
}

function strictChecks(document: OpenApiDocument, parameter: ParameterObject): StrictCheck[] {
  const { name, content, style } = parameter;
  const value: Reader = (raw) => rawValue(raw, parameter);
  if (content !== undefined) return Object.keys(content).some(isJson) ? [checking(value, jsonFault)] : [];
  const schema = resolve<Schema>(document, parameter.schema ?? {});
  const types = nonNullTypesOf(document, schema);
  if (types.has("array")) {
    const numeric = numericCheck(nonNullTypesOf(document, schema.items));
    const items: Reader = (raw) =>
      [value(raw) ?? []].flat().flatMap((text) => (isDelimited(parameter) ? itemsOf(text, parameter) : text));
    return numeric === undefined ? [] : [checking(items, numeric)];
  }
  if (types.has("object") && style === "deepObject") {
    return Object.entries((schema["properties"] ?? {}) as Record<string, Schema>).flatMap(([key, field]) => {
      const numeric = numericCheck(nonNullTypesOf(document, field));
      return numeric === undefined ? [] : [checking((raw) => raw.query[`${name}[${key}]`], numeric)];
    });
  }
  if (types.has("object") || types.size === 0) return [];
  const numeric = numericCheck(types);
  const once: StrictCheck = (raw) => (Array.isArray(value(raw)) ? "must be given once" : undefined);
  return numeric === undefined ? [once] : [once, checking(value, numeric)];
}

type Reader = (raw: RawParameters) => string | string[] | undefined;
type TextCheck = (text: string) => string | undefined;

/** Checks each of the texts that a parameter was given as. */
function checking(read: Reader, check: TextCheck): StrictCheck {
  return (raw) => {
    const given = read(raw) ?? [];
    return typeof given === "string" ? check(given) : given.map(check).find((fault) => fault !== undefined);
  };
}

/** The items of a list; white space around those of a header means nothing (RFC 9110, section 5.6.1). */
function itemsOf(text: string, { in: place, style }: ParameterObject): string[] {
  const items = text.split(DELIMITER[style ?? ""] ?? ",");
  return place === "header" ? items.map((item) => item.trim()) : items;
}

function jsonFault(text: string): string | undefined {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    return (error as SyntaxError).message;
  }
}

function rawValue(raw: RawParameters, parameter: ParameterObject): string | string[] | undefined {
  switch (parameter.in) {
    case "path":
      return raw.path[parameter.name];
    case "query":
      return raw.query[parameter.name];
    case "header":
      return raw.headers[parameter.name.toLowerCase()];
    case "cookie":
      return raw.cookies[parameter.name];
  }
}

/** The JSON types a schema allows besides null; empty when it does not say. */
function nonNullTypesOf(document: OpenApiDocument, node: Schema | undefined): Set<string> {
  const types = new Set(allTypesOf(document, node));
  types.delete("null");
  return types;
}

function allTypesOf(document: OpenApiDocument, node: Schema | undefined): string[] {
  const schema = resolve<Schema>(document, node ?? {});
  if (schema.type !== undefined) return [schema.type].flat();
  const members = (keyword: "allOf" | "oneOf" | "anyOf") =>
    ((schema[keyword] ?? []) as Schema[]).map((member) => allTypesOf(document, member));
  const narrowed = members("allOf").find((types) => types.length > 0);
  if (narrowed !== undefined) return narrowed;
  const choices = [...members("oneOf"), ...members("anyOf")];
  return choices.every((types) => types.length > 0) ? choices.flat() : [];
}

/** Query and cookie parameters are exploded unless they say otherwise; the others never are. */
function isDelimited(parameter: ParameterObject): boolean {
  return parameter.explode === false || parameter.in === "path" || parameter.in === "header";
}

function numericCheck(types: Set<string>): TextCheck | undefined {
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
    return value.includes("%") ? decodeURIComponent(value) : value;
  } catch {
    throw refuse(400, `${describe("path", name)} is not valid percent-encoding.`);
  }
}
