import { unsendable } from "../call/call-failure.ts";

/** A parameter with a name, a style or a notation of its own. */
export interface Parameter {
  readonly in: "path" | "query" | "header" | "cookie";
  /** The parameter's name in the contract, if the argument has another. */
  readonly name?: string;
  /** Writes a value: a query as `name=value&…`, a cookie as `name=value; …`, and a path segment or a header as its text. */
  readonly write?: (name: string, value: unknown) => string;
}

/** Returns a value as text. Throws for a value that has no text of its own. */
export function textOf(name: string, value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "number" && !Number.isFinite(value))
    throw unsendable(`"${name}" is ${value}. Pass a finite number.`);
  const text = String(value);
  if (typeof value === "object" && text === "[object Object]")
    throw unsendable(`"${name}" is an object. Its contract declares a plain value.`);
  return text;
}

/** Writes a query parameter in the style `form`, exploded: a plain value, or one pair for each item of an array. */
export function writeQuery(name: string, value: unknown): string {
  return textsOf(name, value)
    .map((text) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`)
    .join("&");
}

/** Writes a path segment in the style `simple`. */
export function writePath(name: string, value: unknown): string {
  return textsOf(name, value).map(encodeURIComponent).join(",");
}

/** Writes a header in the style `simple`. */
export function writeHeader(name: string, value: unknown): string {
  return textsOf(name, value).join(",");
}

function textsOf(name: string, value: unknown): string[] {
  return (Array.isArray(value) ? (value as unknown[]) : [value])
    .filter((item) => item !== undefined && item !== null)
    .map((item) => textOf(name, item));
}
