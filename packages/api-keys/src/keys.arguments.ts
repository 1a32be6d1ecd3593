import { InvalidArgumentError } from "commander";
import { holdsApiKey } from "./api-key.ts";
import { EVERY_SCOPE } from "./keys.repository.ts";

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** The name of a key, fit to be shown in a terminal and in each line of the log. */
export function parseName(text: string): string {
  if (holdsApiKey(text)) throw new InvalidArgumentError("Give a name that holds no API key: it is stored and logged.");
  if (/^[^\p{C}]{1,100}$/u.test(text)) return text;
  throw new InvalidArgumentError("Give 1 to 100 characters, none of them a control character.");
}

/** Reads some of these scopes separated by commas, or the one that stands for all. */
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

/** A duration such as `90d`, in milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit] = DURATION.exec(text) ?? [];
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

/** A duration before now, or a date or time as RFC 3339 writes them, in milliseconds since 1970. */
export function parseSince(text: string): number {
  if (/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text)) {
    const time = Date.parse(text);
    if (!Number.isNaN(time)) return time;
  } else if (DURATION.test(text)) return Date.now() - parseDuration(text);
  throw new InvalidArgumentError("Give a duration such as 24h or 7d, or a date or time such as 2026-12-05T09:30Z.");
}

/** How many at most. */
export function parseLimit(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number from 1 to 999999.");
}
