import { parseCookie } from "cookie";
import type { OpenApiDocument, ParameterObject, Schema } from "./document.ts";
import { resolve } from "./document.ts";
import { nonNullTypesOf } from "./effective-schema.ts";
import { NOT_JSON, parseJson } from "./json.ts";
import { isJson } from "./media-type.ts";
import { describe, refuse } from "./problem.ts";
import type { Query, QueryValue } from "./query.ts";

const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const DELIMITER: Record<string, string> = { spaceDelimited: " ", pipeDelimited: "|" };

type Values = Record<string, string | string[] | undefined>;

/** The raw parameters of a request, by place. Header names are lower case. */
export interface RawParameters {
  path: Values;
  query: Query;
  headers: Values;
  cookies: Values;
}

/** Takes a request apart whose query is read; refuses a path that is not valid percent-encoded UTF-8. */
export function rawParameters(
  names: string[],
  values: string[],
  query: Query,
  headers: Values,
  hasCookies: boolean,
): RawParameters {
  const path: Values = {};
  for (const [index, name] of names.entries()) path[name] = decodeSegment(name, values[index]!);
  const cookies = hasCookies && typeof headers["cookie"] === "string" ? parseCookie(headers["cookie"]) : {};
  return { path, query, headers, cookies };
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
  if (types.has("object") || types.size === 0) {
    const fields = style === "deepObject" ? Object.entries((schema["properties"] ?? {}) as Record<string, Schema>) : [];
    const numbers = fields.flatMap(([key, field]) => {
      const numeric = numericCheck(nonNullTypesOf(document, field));
      return numeric === undefined ? [] : [checking((raw) => fieldOf(raw.query[name], key), numeric)];
    });
    return parameter.in === "query" ? [...numbers, checking(value, lossOf)] : numbers;
  }
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

/** What is wrong with text that is read as JSON where it is JSON. */
function lossOf(text: string): string | undefined {
  const fault = jsonFault(text);
  return fault === NOT_JSON ? undefined : fault;
}

function rawValue(raw: RawParameters, parameter: ParameterObject): string | string[] | undefined {
  switch (parameter.in) {
    case "path":
      return raw.path[parameter.name];
    case "query":
      return textOf(raw.query[parameter.name]);
    case "header":
      return raw.headers[parameter.name.toLowerCase()];
    case "cookie":
      return raw.cookies[parameter.name];
  }
}

/** What was given as text, and not as an object. */
function textOf(value: QueryValue | undefined): string | string[] | undefined {
  return typeof value === "string" || Array.isArray(value) ? value : undefined;
}

function fieldOf(value: QueryValue | undefined, name: string): string | string[] | undefined {
  const isObject = value !== undefined && textOf(value) === undefined;
  return isObject && Object.hasOwn(value as object, name)
    ? textOf((value as Record<string, QueryValue>)[name])
    : undefined;
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
