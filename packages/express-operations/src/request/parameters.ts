import { parseCookie } from "cookie";
import type { OpenApiDocument, ParameterObject, Schema } from "../document/document.ts";
import { resolve } from "../document/document.ts";
import { effectiveSchema, isRecord, nonNullTypesOf, propertiesOf } from "../document/effective-schema.ts";
import { lossIn, parseJson } from "./json.ts";
import { essenceOf, isJson } from "../media-type.ts";
import { describe, printable, refuse } from "../problem.ts";
import { isSpread, type Query, type QueryValue } from "./query.ts";

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

/** Collects the raw parameters of a request. Refuses path values that are not valid percent-encoding. */
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

/** The name under which a cookie stands among the headers of a `Subject`; no header can have it. */
export function cookieHeader(name: string): string {
  return `cookie:${name}`.toLowerCase();
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
  const { name, content } = parameter;
  const value: Reader = (raw) => rawValue(raw, parameter);
  if (content !== undefined) return Object.keys(content).some(isReadAsJson) ? [checking(value, jsonFault)] : [];
  const schema = resolve<Schema>(document, parameter.schema ?? {});
  const types = nonNullTypesOf(document, schema);
  const asJson = parameter.in === "query" && readsJson(schema, types) ? [jsonCheck(value)] : [];
  if (types.has("array")) {
    const numeric = numericCheck(nonNullTypesOf(document, schema.items), resolve<Schema>(document, schema.items ?? {}));
    const items: Reader = (raw) =>
      [value(raw) ?? []].flat().flatMap((text) => (isDelimited(parameter) ? itemsOf(text, parameter) : text));
    return numeric === undefined
      ? asJson
      : [...asJson, checking(items, (text) => said(within("an item", numeric(text))))];
  }
  if (types.has("object") || types.size === 0) {
    if (parameter.in !== "query") return [];
    const fields = fieldCheck(document, schema);
    const inBrackets: StrictCheck = (raw) => (isRecord(raw.query[name]) ? said(fields(raw.query[name])) : undefined);
    const spread: StrictCheck[] = isSpread(document, parameter) ? [(raw) => said(fields(raw.query))] : [];
    return [inBrackets, ...spread, ...asJson];
  }
  const numeric = numericCheck(types, schema);
  const once: StrictCheck = (raw) => (Array.isArray(value(raw)) ? "must be given once" : undefined);
  return numeric === undefined ? [once] : [once, checking(value, numeric)];
}

type Reader = (raw: RawParameters) => string | string[] | undefined;
type TextCheck = (text: string) => string | undefined;

/** Checks each of the texts that a parameter was given as. */
function checking(read: Reader, check: TextCheck): StrictCheck {
  return (raw) => {
    const given = read(raw) ?? [];
    return typeof given === "string" ? check(given) : firstFault(given, check);
  };
}

/** Checks what EOV parses as JSON: the text, or the texts joined by commas. */
function jsonCheck(read: Reader): StrictCheck {
  return (raw) => {
    const given = read(raw);
    return given === undefined ? undefined : lossIn(String(given));
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

/** Whether EOV parses a parameter of this media type as JSON. */
function isReadAsJson(mediaType: string): boolean {
  return isJson(mediaType) || essenceOf(mediaType).endsWith("/json");
}

/** Whether EOV parses the text of a parameter as JSON where it is JSON. */
function readsJson(schema: Schema, types: Set<string>): boolean {
  return types.has("object") || ["allOf", "oneOf", "anyOf"].some((keyword) => schema[keyword] !== undefined);
}

/** What is wrong with a value or, where it has one, with its innermost field or item. */
type DeepFault = string | { holder: string; fault: string };

function within(holder: string, fault: DeepFault | undefined): DeepFault | undefined {
  return typeof fault === "string" ? { holder, fault } : fault;
}

function said(fault: DeepFault | undefined): string | undefined {
  return typeof fault === "object" ? `has ${fault.holder} that ${fault.fault}` : fault;
}

/** Checks the numbers in an object, at any depth. The checks of a schema's fields are made when a request first gives them. */
function fieldCheck(document: OpenApiDocument, node: Schema): (value: unknown) => DeepFault | undefined {
  let fields: Map<string, (value: unknown) => DeepFault | undefined> | undefined;
  const types = nonNullTypesOf(document, node);
  const numeric = numericCheck(types, resolve<Schema>(document, node));
  const { items } = resolve<Schema>(document, node);
  const itemCheck = types.has("array") && items !== undefined ? fieldCheck(document, items) : undefined;
  const item = itemCheck && ((value: unknown) => within("an item", itemCheck(value)));
  const check = (value: unknown): DeepFault | undefined => {
    if (typeof value === "string") return (item ?? numeric)?.(value);
    if (Array.isArray(value)) return firstFault(value, item ?? check);
    if (!isRecord(value)) return undefined;
    fields ??= new Map(
      Object.entries(propertiesOf(effectiveSchema(document, node))).map(([name, field]) => [
        name,
        fieldCheck(document, field),
      ]),
    );
    return firstFault(Object.keys(value), (name) => within(fieldOf(name), fields!.get(name)?.(value[name])));
  };
  return check;
}

function fieldOf(name: string): string {
  const known = printable(name);
  return known === undefined ? "a field" : `a field "${known}"`;
}

function firstFault<Item, Fault>(items: Item[], check: (item: Item) => Fault | undefined): Fault | undefined {
  for (const item of items) {
    const fault = check(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function rawValue(raw: RawParameters, parameter: ParameterObject): string | string[] | undefined {
  switch (parameter.in) {
    case "path":
      return raw.path[parameter.name];
    case "query":
      return textsOf(raw.query[parameter.name]);
    case "header":
      return raw.headers[parameter.name.toLowerCase()];
    case "cookie":
      return raw.cookies[parameter.name];
  }
}

/** Returns the texts of a parameter that is not written in brackets. */
function textsOf(value: QueryValue | undefined): string | string[] | undefined {
  return isRecord(value) ? undefined : (value as string | string[] | undefined);
}

/** Query and cookie parameters are exploded unless they say otherwise; the others never are. */
function isDelimited(parameter: ParameterObject): boolean {
  return parameter.explode === false || parameter.in === "path" || parameter.in === "header";
}

function numericCheck(types: Set<string>, schema: Schema): TextCheck | undefined {
  if (types.size !== 1) return undefined;
  if (types.has("number")) {
    return (text) => (NUMBER.test(text) ? undefined : "must be a number in plain decimal digits, such as 1.5");
  }
  if (!types.has("integer")) return undefined;
  return (text) => {
    if (!INTEGER.test(text)) return "must be an integer in plain decimal digits, such as 10";
    if (Number.isSafeInteger(Number(text))) return undefined;
    const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema;
    return `must be an integer from ${String(minimum)} to ${String(maximum)}`;
  };
}

function decodeSegment(name: string, value: string): string {
  try {
    return value.includes("%") ? decodeURIComponent(value) : value;
  } catch {
    throw refuse(400, `${describe("path", name)} is not valid percent-encoding. Write a percent sign itself as %25.`);
  }
}
