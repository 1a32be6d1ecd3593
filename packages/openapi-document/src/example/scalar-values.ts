import type { Schema } from "../objects.ts";
import { compilePattern } from "../pattern.ts";
import { boundsOf, typesOf } from "../schema/effective-schema.ts";
import { isMultipleOf } from "../schema/multiple-of.ts";

/** Returns a number that a schema allows; undefined if none is found. Other variations give other numbers. */
export function exampleNumber(schema: Schema, variation = 0): number | undefined {
  const { minimum = -Infinity, maximum = Infinity, above = -Infinity, below = Infinity } = boundsOf(schema);
  const isWhole = !typesOf(schema).includes("number") || /^int(?:32|64)$/.test(String(schema["format"]));
  const step = Number(schema["multipleOf"] ?? (isWhole ? 1 : 0));
  const least = Math.max(minimum, Math.floor(above) + 1);
  const candidates = [minimum, maximum, 1, above + 1, below - 1, (above + below) / 2];
  if (step > 0) candidates.push(Math.ceil(minimum / step) * step, (Math.floor(above / step) + 1) * step, step, 0);
  const unit = step > 0 && !(isWhole && step < 1) ? step : 1;
  const from = Number.isFinite(least) ? Math.ceil(least / unit) * unit : Math.min(unit, maximum, below - 1);
  const fraction = step === 0 && variation % 2 === 1 ? [from + variation / 2] : [];
  const others = [...fraction, from + variation * unit, from - variation * unit, -variation, 10 ** variation];
  const isValid = (value: number) =>
    Number.isFinite(value) &&
    (step === 0 || isMultipleOf(value, step)) &&
    (!isWhole || Number.isInteger(value)) &&
    value >= minimum &&
    value <= maximum &&
    value > above &&
    value < below;
  const valid = [...new Set((variation > 0 ? [...others, ...candidates] : candidates).filter(isValid))];
  return valid[0];
}

/** Returns a drawn number that a schema allows; undefined if one is hard to draw. */
export function drawnNumber(schema: Schema, random: () => number): number | undefined {
  const { minimum, maximum, above, below } = boundsOf(schema);
  if (schema["multipleOf"] !== undefined || above !== undefined || below !== undefined) return undefined;
  const from = minimum ?? Math.min(0, maximum ?? 0);
  const to = maximum ?? from + 1_000;
  const made = from + random() * (to - from);
  const isWhole = !typesOf(schema).includes("number") || /^int(?:32|64)$/.test(String(schema["format"]));
  const drawn = isWhole
    ? Math.min(Math.floor(to), Math.max(Math.ceil(from), Math.round(made)))
    : Math.round(made * 100) / 100;
  return drawn >= from && drawn <= to ? drawn : undefined;
}

/** Longer texts are not made. */
const MAX_LENGTH = 1_000_000;

/**
 * Returns a text that matches a pattern, with a length in code points from `min` to `max`; undefined if none is found. Other
 * variations give other texts.
 */
export type TextMatching = (pattern: string, min: number, max: number, variation: number) => string | undefined;

/** Returns a text that a schema allows; undefined if none is found. Other variations give other texts. */
export function exampleText(schema: Schema, textMatching: TextMatching, variation = 0, word = ""): string | undefined {
  const { format, pattern, minLength, maxLength = Infinity } = schema as StringSchema;
  if ((minLength ?? 0) > MAX_LENGTH) return undefined;
  const isAllowed = (text: string) => text.length >= (minLength ?? 0) && text.length <= maxLength;
  if (format !== undefined && Object.hasOwn(FORMATS, format)) {
    const ofFormat = FORMATS[format]!(variation);
    if (isAllowed(ofFormat) && (pattern === undefined || compilePattern(pattern).test(ofFormat))) return ofFormat;
    if (variation === 0 || pattern === undefined) return undefined;
  }
  if (pattern === undefined) {
    const text = variation === 0 ? word : `${word || "x"}${variation}`;
    const digits = String(variation).padStart(minLength ?? 0, "0");
    return [text.padEnd(minLength ?? 1, "x"), digits, String(variation % 10), ""].find(isAllowed);
  }
  const text = textMatching(pattern, minLength ?? 1, maxLength, variation);
  if (text === undefined && minLength === undefined && compilePattern(pattern).test("")) return "";
  return text;
}

interface StringSchema {
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
}

const numbered =
  (before: string, first: string, after = "") =>
  (number: number) =>
    before + (number === 0 ? first : `${first}${number}`) + after;
const instant = (number: number) => new Date(Date.UTC(2000, 0, 1) + (number % 10_000) * 86_400_000).toISOString();
const hex = (number: number, length: number) => (number % 16 ** length).toString(16).padStart(length, "0");

/** Makes a text of each format that validation knows. Another number gives another text. */
const FORMATS: Record<string, (number: number) => string> = {
  byte: (number) => (number === 0 ? "eA==" : btoa(`x${number}`)),
  date: (number) => instant(number).slice(0, 10),
  "date-time": (number) => instant(number).replace(".000", ""),
  duration: (number) => `P${number + 1}D`,
  email: numbered("", "x", "@example.com"),
  hostname: (number) => (number === 0 ? "example.com" : `x${number}.example.com`),
  "idn-email": numbered("", "x", "@example.com"),
  "idn-hostname": (number) => (number === 0 ? "example.com" : `x${number}.example.com`),
  ipv4: (number) => `192.0.2.${(number % 255) + 1}`,
  ipv6: (number) => `2001:db8::${hex(number + 1, 4)}`.replace(/::0+(?=.)/, "::"),
  iri: (number) => `https://example.com/${number || ""}`,
  "iri-reference": numbered("/", "x"),
  "iso-date-time": (number) => instant(number).replace(".000", ""),
  "iso-time": (number) => instant(number).slice(11),
  "json-pointer": numbered("/", "x"),
  "json-pointer-uri-fragment": numbered("#/", "x"),
  regex: numbered("", "x"),
  "relative-json-pointer": (number) => String(number),
  time: (number) => `00:${hex(Math.floor(number / 10) % 6, 1)}${number % 10}:00Z`,
  uri: (number) => `https://example.com/${number || ""}`,
  "uri-reference": numbered("/", "x"),
  "uri-template": (number) => `/{x${number || ""}}`,
  url: (number) => `https://example.com/${number || ""}`,
  uuid: (number) => `${hex(number, 8)}-0000-4000-8000-${hex(number, 12)}`,
};
