import { NAME } from "@platform/name";
import { InvalidArgumentError } from "commander";
import { holdsApiKey } from "./api-key.ts";
import { EVERY_SCOPE } from "./keys.repository.ts";

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Parses the name of a key. The name is safe to print in terminals and log lines. */
export function parseName(text: string): string {
  if (holdsApiKey(text))
    throw new InvalidArgumentError("Give a name without an API key, since names are stored and logged.");
  if (/^[^\p{C}]{1,100}$/u.test(text)) return text;
  throw new InvalidArgumentError("Give 1 to 100 characters, none of them a control character.");
}

/** Returns a parser of a comma-separated list of these scopes, or of `EVERY_SCOPE` alone. */
export function scopesParser(known: readonly string[]): (text: string) => string[] {
  return (text) => {
    if (text.trim() === EVERY_SCOPE) return [EVERY_SCOPE];
    const names = text.split(",").map((name) => name.trim());
    const scopes = known.filter((scope) => names.includes(scope));
    if (scopes.length === names.length) return scopes;
    throw new InvalidArgumentError(
      `Give some of ${known.join(",")}, separated by commas, or "*" alone for all of them.`,
    );
  };
}

const DURATION = /^([1-9]\d{0,4})([smhdw])$/;

/** Parses a duration such as `90d` into milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (count !== undefined) return Number(count) * UNITS[unit as keyof typeof UNITS];
  throw new InvalidArgumentError("Give a whole number and one of s, m, h, d, w, such as 90d.");
}

/** Parses a duration, or `0`, into milliseconds. */
export function parseOverlap(text: string): number {
  return text === "0" ? 0 : parseDuration(text);
}

/** Parses the id of a key. */
export function parseId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`Give the number that \`${NAME} keys list\` shows.`);
}

/** Parses a duration before now, or a date or time of RFC 3339, into milliseconds since 1970. */
export function parseSince(text: string): number {
  if (/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text)) {
    const time = Date.parse(text);
    if (!Number.isNaN(time)) return time;
  } else if (DURATION.test(text)) return Date.now() - parseDuration(text);
  throw new InvalidArgumentError("Give a duration such as 24h or 7d, or a date or time such as 2026-12-05T09:30Z.");
}

/** Parses a maximum number of entries. */
export function parseLimit(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number from 1 to 999999.");
}
