import { InvalidArgumentError, parseDuration } from "@platform/command-line";
import { NAME } from "@platform/command-line/name";
import { holdsApiKey } from "./api-key.ts";
import { EVERY_SCOPE } from "./keys.repository.ts";

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

/** Parses a duration, or `0`, into milliseconds. */
export function parseOverlap(text: string): number {
  return text === "0" ? 0 : parseDuration(text);
}

/** Parses the id of a key. */
export function parseId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`Give the number that \`${NAME} keys list\` shows.`);
}

/** Parses a maximum number of entries. */
export function parseLimit(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number from 1 to 999999.");
}
