import {
  apiKeyParameters,
  type OpenApiDocument,
  type OperationEntry,
  parameterNames,
  effectiveSchema,
  propertiesOf,
} from "openapi-document";
import { bracketFillings, counted, enclosed, type Filling, repeated, URL_TEXTS } from "./fillings.ts";

export function queryInputs(document: OpenApiDocument, entry: OperationEntry): Filling[] {
  const declared = entry.parameters.filter((parameter) => parameter.in === "query");
  const own = declared.map(({ name }) => ({ name, of: [`query ${name}`] }));
  const fields = declared.flatMap(({ name, schema }) =>
    Object.keys(propertiesOf(effectiveSchema(document, schema))).map((field) => ({
      name: field,
      of: [`query ${name}`],
    })),
  );
  const others = [...apiKeyParameters(document, entry), "undeclared"].map((name) => ({ name, of: [] }));
  const ofNames = [...own, ...fields, ...others].flatMap(({ name, of }) => {
    const key = encodeURIComponent(name);
    const fillings = [
      ...URL_TEXTS.map((text) => ({ title: `${key}=${text}${text}…`, fill: enclosed(`${key}=`, repeated(text)) })),
      { title: `${key}={"a":{"a":…}}`, fill: enclosed(`${key}=`, encodedNesting) },
      { title: `${key}=1&${key}=1&…`, fill: repeated(`${key}=1&`) },
      ...bracketFillings(key, "[", "]"),
      ...bracketFillings(key, "%5B", "%5D"),
    ];
    return fillings.map((filling) => ({ ...filling, of }));
  });
  const names = ["", "k", "%41", "__proto__[k"].map((start) => ({
    title: `${start}0=1&${start}1=1&…`,
    fill: counted((count) => `${start}${count}${start.endsWith("[k") ? "]" : ""}=1`, "&"),
  }));
  const texts = ["&", "=", "=&", "&=", "a&", "[]&", "%41&", "a[a]&", "?", "%"].map((text) => ({
    title: `${text}${text}…`,
    fill: repeated(text),
  }));
  return [...ofNames, ...names, ...texts];
}

function encodedNesting(size: number): string {
  const levels = Math.floor(size / "%7B%22a%22%3A%7D".length);
  return `${"%7B%22a%22%3A".repeat(levels)}1${"%7D".repeat(levels)}`;
}

/** Texts for the host of a request target in absolute form. */
export const AUTHORITY_TEXTS = ["a", ".", "a.", "1.", ":", "@", "%41", "[", "xn--a", "-", "_"];

export function pathInputs(entry: OperationEntry, path: string): Filling[] {
  const literals = entry.path.split(/\{[^}]+\}|\//).filter((text) => text !== "");
  const texts = [...new Set([...URL_TEXTS.filter((text) => !/[?#/\\]/.test(text)), ...literals])];
  const filled = (template: string) => template.replaceAll(/\{[^}]+\}/g, "1");
  const values = parameterNames(entry.path).flatMap((name) =>
    texts.map((text) => ({
      title: `{${name}} ${text}${text}…`,
      of: [`path ${name}`],
      fill: (size: number) => entry.path.split(`{${name}}`).map(filled).join(repeated(text)(size)),
    })),
  );
  const mixed = entry.path.split("/").filter((segment) => segment.includes("{") && !/^\{[^}]+\}$/.test(segment));
  const segments = mixed.flatMap((segment) =>
    texts.map((text) => ({
      title: `${segment} as ${text}${text}…`,
      of: parameterNames(segment).map((name) => `path ${name}`),
      fill: (size: number) => entry.path.split(segment).map(filled).join(repeated(text)(size)),
    })),
  );
  const more = ["/", "/a", "/.", "/..", "/%2F", "/a;a", "/%41", "//a"].map((text) => ({
    title: `with ${text}${text}…`,
    fill: enclosed(path, repeated(text)),
  }));
  return [...values, ...segments, ...more];
}
