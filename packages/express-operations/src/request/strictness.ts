import type { OpenApiDocument, ParameterObject, Schema } from "../document/document.ts";
import { resolve } from "../document/document.ts";
import { effectiveSchema, isRecord, nonNullTypesOf, propertiesOf } from "../document/effective-schema.ts";
import { essenceOf, isJson } from "../media-type.ts";
import { printable } from "../problem.ts";
import { lossIn, parseJson } from "./json.ts";
import {
  type CheckedParameter,
  checkEach,
  firstFault,
  numericCheck,
  rawValue,
  type Reader,
  scalarChecks,
  type StrictCheck,
} from "./parameters.ts";
import { isExplodedObject } from "./query.ts";

const DELIMITER: Record<string, string> = { spaceDelimited: " ", pipeDelimited: "|" };

/**
 * Returns checks that are stricter than the schema, because coercion would change invalid values silently. Numbers must
 * be plain decimal digits, and integers must fit a double exactly. Only an array may be repeated. JSON must lose
 * nothing when it is parsed.
 */
export function strictness(document: OpenApiDocument, parameters: ParameterObject[]): CheckedParameter[] {
  return parameters.flatMap((parameter) => {
    return strictChecks(document, parameter).map((check) => ({ parameter, check }));
  });
}

function strictChecks(document: OpenApiDocument, parameter: ParameterObject): StrictCheck[] {
  const { name, content } = parameter;
  const value: Reader = (raw) => rawValue(raw, parameter);
  if (content !== undefined) return Object.keys(content).some(isReadAsJson) ? [checkEach(value, jsonFault)] : [];
  const schema = resolve<Schema>(document, parameter.schema ?? {});
  const types = nonNullTypesOf(document, schema);
  const asJson = parameter.in === "query" && readsJson(schema, types) ? [jsonCheck(value)] : [];
  if (types.has("array")) {
    const numeric = numericCheck(nonNullTypesOf(document, schema.items), resolve<Schema>(document, schema.items ?? {}));
    const isList = types.size === 1;
    const items: Reader = (raw) => {
      const given = value(raw) ?? [];
      if (!isList && typeof given === "string") return []; // the text may match another type of the schema
      return [given].flat().flatMap((text) => (isDelimited(parameter) ? itemsOf(text, parameter) : text));
    };
    return numeric === undefined
      ? asJson
      : [...asJson, checkEach(items, (text) => faultText(faultWithin("an item", numeric(text))))];
  }
  if (types.has("object") || types.size === 0) {
    if (parameter.in !== "query") return [];
    const fields = fieldCheck(document, schema);
    const inBrackets: StrictCheck = (raw) =>
      isRecord(raw.query[name]) ? faultText(fields(raw.query[name])) : undefined;
    const spread: StrictCheck[] = isExplodedObject(document, parameter) ? [(raw) => faultText(fields(raw.query))] : [];
    return [inBrackets, ...spread, ...asJson];
  }
  return scalarChecks(parameter, numericCheck(types, schema));
}

/** Checks the text that EOV parses as JSON, or several texts joined by commas. */
function jsonCheck(read: Reader): StrictCheck {
  return (raw) => lossIn(String(read(raw))); // a missing parameter is not JSON, so it loses nothing
}

/** Splits a list into items. White space around items of a header is insignificant (RFC 9110, section 5.6.1). */
function itemsOf(text: string, { in: location, style }: ParameterObject): string[] {
  const items = text.split(DELIMITER[style ?? ""] ?? ",");
  return location === "header" ? items.map((item) => item.trim()) : items;
}

function jsonFault(text: string): string | undefined {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    return (error as SyntaxError).message;
  }
}

/** Returns whether EOV parses a parameter of this media type as JSON. */
function isReadAsJson(mediaType: string): boolean {
  return isJson(mediaType) || essenceOf(mediaType).endsWith("/json");
}

/** Returns whether EOV parses the text of a parameter as JSON whenever the text is valid JSON. */
function readsJson(schema: Schema, types: Set<string>): boolean {
  return types.has("object") || ["allOf", "oneOf", "anyOf"].some((keyword) => schema[keyword] !== undefined);
}

/** The fault of a value, or of its innermost field or item. */
type DeepFault = string | { holder: string; fault: string };

function faultWithin(holder: string, fault: DeepFault | undefined): DeepFault | undefined {
  return typeof fault === "string" ? { holder, fault } : fault;
}

function faultText(fault: DeepFault | undefined): string | undefined {
  return typeof fault === "object" ? `has ${fault.holder} that ${fault.fault}` : fault;
}

/**
 * Checks the numbers in an object at any depth. The checks of fields are built at the first request that sends such an
 * object, because schemas may be recursive.
 */
function fieldCheck(document: OpenApiDocument, node: Schema): (value: unknown) => DeepFault | undefined {
  let fields: Map<string, (value: unknown) => DeepFault | undefined> | undefined;
  const types = nonNullTypesOf(document, node);
  const numeric = numericCheck(types, resolve<Schema>(document, node));
  const { items } = resolve<Schema>(document, node);
  const itemCheck = types.has("array") && items !== undefined ? fieldCheck(document, items) : undefined;
  const item = itemCheck && ((value: unknown) => faultWithin("an item", itemCheck(value)));
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
    return firstFault(Object.keys(value), (name) => faultWithin(fieldOf(name), fields!.get(name)?.(value[name])));
  };
  return check;
}

function fieldOf(name: string): string {
  const known = printable(name);
  return known === undefined ? "a field" : `a field "${known}"`;
}

/**
 * Returns whether a parameter's items are separated by a delimiter. Query and cookie parameters are exploded by
 * default; path and header parameters never are.
 */
function isDelimited(parameter: ParameterObject): boolean {
  return parameter.explode === false || parameter.in === "path" || parameter.in === "header";
}
