import { InvalidArgumentError } from "commander";

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Returns a parser of whole numbers of at least `least`. */
export function wholeNumber(least = 0): (text: string) => number {
  return (text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
    throw new InvalidArgumentError(`Give a whole number of at least ${least}.`);
  };
}

const DURATION = /^([1-9]\d{0,4})([smhdw])$/;

/** Whether the string is a duration such as `90d`. */
export function isDuration(text: string): boolean {
  return DURATION.test(text);
}

/** Parses a duration such as `90d` into milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (count !== undefined) return Number(count) * UNITS[unit as keyof typeof UNITS];
  throw new InvalidArgumentError("Give a whole number and one of s, m, h, d, w, such as 90d.");
}

/** Parses a duration before now, or a date or time of RFC 3339, into milliseconds since 1970. */
export function parseTime(text: string): number {
  if (/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text)) {
    const time = Date.parse(text);
    if (!Number.isNaN(time)) return time;
  } else if (isDuration(text)) return Date.now() - parseDuration(text);
  throw new InvalidArgumentError("Give a duration such as 24h or 7d, or a date or time such as 2026-12-05T09:30Z.");
}
