import { InvalidArgumentError } from "commander";
import { type Scope, SCOPES } from "./keys.repository.ts";

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** The name of a key, fit to be shown in a terminal. */
export function parseName(text: string): string {
  if (/^[^\p{C}]{1,100}$/u.test(text)) return text;
  throw new InvalidArgumentError("Give 1 to 100 characters, none of them a control character.");
}

/** Scopes separated by commas. */
export function parseScopes(text: string): Scope[] {
  const names = text.split(",").map((name) => name.trim());
  const scopes = SCOPES.filter((scope) => names.includes(scope));
  if (scopes.length === names.length) return scopes;
  throw new InvalidArgumentError(`Give some of ${SCOPES.join(",")}, separated by commas.`);
}

/** A duration such as `90d`, in milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,4})([smhdw])$/.exec(text) ?? [];
  if (count !== undefined) return Number(count) * UNITS[unit as keyof typeof UNITS];
  throw new InvalidArgumentError("Give a whole number and one of s, m, h, d, w, such as 90d.");
}

/** A duration, or none. */
export function parseOverlap(text: string): number {
  return text === "0" ? 0 : parseDuration(text);
}

/** The number of a key. */
export function parseId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give the number that `petstore keys list` shows.");
}
