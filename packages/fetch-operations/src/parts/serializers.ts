import { unsendable } from "../call/call-failure.ts";
import { type Parameter, writePath, writeQuery } from "../request/parameter.ts";

export { jsonParameter, styled } from "./styles.ts";

/** The functions that write parameters, by name: those of `styled` and `jsonParameter`. Others are written by default. */
export type Writers = Readonly<Record<string, Parameter["write"]>>;

/** Returns openapi-fetch's option `querySerializer` for parameters of any style. Undefined and null are left out. */
export function querySerializer(writers: Writers = {}): (query: object) => string {
  return (query) => pairsOf(query, writers).join("&");
}

/** Returns the parameters of the query or of cookies, each as `name=value`. */
export function pairsOf(values: object, writers: Writers): string[] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => (writerIn(writers, name) ?? writeQuery)(name, value))
    .filter((text) => text !== "");
}

/**
 * Returns openapi-fetch's option `pathSerializer` for parameters of any style. It throws for a value that is missing or would lead to
 * another path, such as `..`.
 */
export function pathSerializer(writers: Writers = {}): (url: string, values: Record<string, unknown>) => string {
  return (url, values) => {
    let filled = url;
    for (const [name, value] of Object.entries(values)) {
      if ((value ?? "") === "")
        throw unsendable(`The path parameter "${name}" is ${value === "" ? "empty" : String(value)}.`);
      const text = (writerIn(writers, name) ?? writePath)(name, value);
      filled = filled.replaceAll(`{${inTemplate(name)}}`, () => text);
    }
    if (url.includes("{")) checkPath(filled.split("/"), url.split("/"));
    return filled;
  };
}

/** Returns a part of a path template, in which `?` and `#` are characters of the path. */
export function inTemplate(text: string): string {
  return text.replaceAll(/[?#]/g, encodeURIComponent);
}

function writerIn(writers: Writers, name: string): Parameter["write"] {
  return Object.hasOwn(writers, name) ? writers[name] : undefined;
}

/**
 * Throws for a missing value, and for a segment that values made empty or a dot segment, because URLs resolve those to another
 * path: https://url.spec.whatwg.org/#double-dot-path-segment
 */
function checkPath(segments: string[], templates: string[]): void {
  for (const [index, segment] of segments.entries()) {
    const [, missing] = /\{([^{}]+)\}/.exec(segment) ?? [];
    if (missing !== undefined) throw unsendable(`The path parameter "${missing}" is undefined.`);
    if (segment !== templates[index] && /^(\.|%2e){0,2}$/i.test(segment))
      throw unsendable(`A path parameter makes the segment "${templates[index]}" ${JSON.stringify(segment)}.`);
  }
}
