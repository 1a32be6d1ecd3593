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
  if (isInexact(value))
    throw unsendable(`"${name}" is the integer ${String(value)}, which a JavaScript number may have rounded.`);
  const text = String(value);
  if (typeof value === "object" && text === "[object Object]")
    throw unsendable(`"${name}" is an object. Its contract declares a plain value.`);
  return text;
}

/** Whether a number is an integer that JavaScript may have rounded, and writes with all of its digits. */
export function isInexact(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value as number) < 1e21;
}

/** Writes a query parameter in the style `form`, exploded: a plain value, or one pair for each item of an array. */
export function writeQuery(name: string, value: unknown): string {
  return written(name, value, "&", (text) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`);
}

/** Writes a path segment in the style `simple`. */
export function writePath(name: string, value: unknown): string {
  return written(name, value, ",", encodeURIComponent);
}

/** Writes a header in the style `simple`. */
export function writeHeader(name: string, value: unknown): string {
  return written(name, value, ",", String);
}

function written(name: string, value: unknown, separator: string, write: (text: string) => string): string {
  if (!Array.isArray(value)) return write(textOf(name, value));
  const items = (value as unknown[]).filter((item) => item !== undefined && item !== null);
  return items.map((item) => write(textOf(name, item))).join(separator);
}
