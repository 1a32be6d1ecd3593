import type { OpenApiDocument, OperationEntry } from "../../document.ts";
import { effectiveSchema, propertiesOf } from "../../effective-schema.ts";
import { apiKeyParameters } from "../../security.ts";
import { after, counted, type Filling, nested, repeated, URL_UNITS } from "./fillings.ts";

/** What a query may consist of. */
export function queryFillings(document: OpenApiDocument, entry: OperationEntry): (Filling & { of?: string })[] {
  const declared = entry.parameters.filter((parameter) => parameter.in === "query");
  const keys = apiKeyParameters(document, entry).map((name) => ({ name }));
  const fields = declared.flatMap(({ name, schema }) =>
    Object.keys(propertiesOf(effectiveSchema(document, schema))).map((field) => ({ name: field, of: `query ${name}` })),
  );
  const own = [
    ...declared.map(({ name }) => ({ name, of: `query ${name}` })),
    ...fields,
    ...keys,
    { name: "undeclared" },
  ];
  const ofNames = own.flatMap(({ name, ...of }) => {
    const key = encodeURIComponent(name);
    const values = URL_UNITS.map((unit) => ({
      title: `${key}=${unit}${unit}…`,
      fill: after(`${key}=`, repeated(unit)),
    }));
    const deep = { title: `${key}={"a":{"a":…}}`, fill: after(`${key}=`, encodedNesting) };
    return [...values, deep, ...nested(key, "[", "]"), ...nested(key, "%5B", "%5D")].map((each) => ({
      ...each,
      ...of,
    }));
  });
  return [
    ...ofNames,
    { title: "0&1&…", fill: counted((count) => `k${count}`, "&") },
    { title: "0=1&1=1&…", fill: counted((count) => `k${count}=1`, "&") },
    { title: "%41k0=1&%41k1=1&…", fill: counted((count) => `%41${count}=1`, "&") },
    { title: "__proto__[k0]=1&…", fill: counted((count) => `__proto__[k${count}]=1`, "&") },
    ...["&", "=", "=&", "&=", "a&", "[]&", "%41&", "a[a]&", "?", "%"].map((unit) => ({
      title: `${unit}${unit}…`,
      fill: repeated(unit),
    })),
  ];
}

/** What the host of a target in absolute form may consist of. */
export const AUTHORITY_UNITS = ["a", ".", "a.", "1.", ":", "@", "%41", "[", "xn--a", "-", "_"];

/** Objects in objects, percent-encoded. */
function encodedNesting(size: number): string {
  const levels = Math.floor(size / "%7B%22a%22%3A%7D".length);
  return `${"%7B%22a%22%3A".repeat(levels)}1${"%7D".repeat(levels)}`;
}

/** What a path may consist of; it takes the place of the whole target, whose query is kept. */
export function pathFillings(
  entry: OperationEntry,
): { title: string; of?: string; fill: (size: number, target: string) => string }[] {
  const literals = entry.path.split(/\{[^}]+\}|\//).filter((text) => text !== "");
  const units = [...URL_UNITS.filter((unit) => !/[?#/\\]/.test(unit)), ...literals];
  const parameters = Array.from(entry.path.matchAll(/\{([^}]+)\}/g), (match) => match[1]!);
  const values = parameters.flatMap((of) =>
    units.map((unit) => ({
      title: `{${of}} ${unit}${unit}…`,
      of: `path ${of}`,
      fill: (size: number) =>
        entry.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => (name === of ? repeated(unit)(size) : "1")),
    })),
  );
  const mixed = entry.path.split("/").filter((segment) => /\{/.test(segment) && !/^\{[^}]+\}$/.test(segment));
  const whole = mixed.flatMap((segment) =>
    units.map((unit) => ({
      title: `${segment} as ${unit}${unit}…`,
      fill: (size: number) => entry.path.replace(segment, repeated(unit)(size)).replaceAll(/\{[^}]+\}/g, "1"),
    })),
  );
  const segments = ["/", "/a", "/.", "/..", "/%2F", "/a;a", "/%41", "//a"].map((unit) => ({
    title: `with ${unit}${unit}…`,
    fill: (size: number, target: string) => target.replace(/(?=\?|$)/, repeated(unit)(size)),
  }));
  return [...values, ...whole, ...segments];
}
