import { type OpenApiDocument, type Schema, listedValuesOf, nonNullTypesOf } from "openapi-document";
import { isExact } from "./json.ts";

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
