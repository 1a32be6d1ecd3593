import { unsendable } from "../call/call-failure.ts";
import type { OperationDescription } from "../operation.ts";
import { type Parameter, writeHeader, writePath, writeQuery } from "./parameter.ts";

/** The parts of a request, serialized. */
export interface RequestParts {
  /** The path and the query. */
  target: string;
  headers: Record<string, string>;
  body?: unknown;
  /** The media type of the body, if the call names one. */
  contentType?: string | undefined;
}

/** A call by path: the parameters by location, as in openapi-fetch. */
export interface InitByPath {
  params?: { [location in "path" | "query" | "header" | "cookie"]?: object | undefined } | undefined;
  body?: unknown;
  contentType?: string | undefined;
}

/** A request whose parameters are put into their places. */
interface Draft extends RequestParts {
  query: string;
  cookie: string;
}

/**
 * Puts each argument into its place in the request. An unknown argument is sent as well, so that the service rejects it by
 * name and no data is lost silently. Throws for a value that would change the path.
 */
export function requestPartsOf(
  { path, parameters, hasFields }: OperationDescription,
  input?: object | null,
): RequestParts {
  const draft = draftOf(path);
  const fields: Record<string, unknown> = {};
  if (hasFields) draft.body = fields;
  for (const [name, value] of Object.entries(input ?? {}) as [string, unknown][]) {
    const place = Object.hasOwn(parameters, name) ? parameters[name]! : hasFields ? "field" : "query";
    if (typeof place === "object") put(draft, place.in, place.name ?? name, value, place.write);
    else if (place === "body" || place === "contentType") draft[place] = value as string;
    else if (place === "field") fields[name] = value;
    else put(draft, place, name, value);
  }
  return complete(draft, path);
}

export function requestPartsByPath(
  { path, parameters }: OperationDescription,
  { params = {}, body, contentType }: InitByPath,
): RequestParts {
  const draft = { ...draftOf(path), body, contentType };
  const declared = Object.entries(parameters);
  for (const [location, values] of Object.entries(params) as [Parameter["in"], object | undefined][]) {
    for (const [name, value] of Object.entries(values ?? {}) as [string, unknown][]) {
      const found = declared.find(
        ([argument, place]) => typeof place === "object" && place.in === location && (place.name ?? argument) === name,
      );
      put(draft, location, name, value, (found?.[1] as Parameter | undefined)?.write);
    }
  }
  return complete(draft, path);
}

function draftOf(path: string): Draft {
  return { target: path, headers: {}, query: "", cookie: "" };
}

/** Puts a value into its place. */
function put(draft: Draft, place: Parameter["in"], name: string, value: unknown, write?: Parameter["write"]): void {
  if (place === "path") {
    if ((value ?? "") === "")
      throw unsendable(`The path parameter "${name}" is ${value === "" ? "empty" : String(value)}.`);
    const text = (write ?? writePath)(name, value);
    draft.target = draft.target.replaceAll(`{${name}}`, () => text);
  } else if (value !== undefined && value !== null) {
    const text = (write ?? (place === "header" ? writeHeader : writeQuery))(name, value);
    if (place === "header") draft.headers[name] = text;
    else if (text) draft[place] += (draft[place] && "&") + text;
  }
}

/** Returns the parts of a request. Throws if a path parameter is missing or changes the path. */
function complete(draft: Draft, path: string): RequestParts {
  if (path.includes("{")) checkPath(draft.target.split("/"), path.split("/"));
  // In a template, `?` and `#` are characters of the path.
  draft.target = draft.target.replace(/[?#]/g, encodeURIComponent);
  if (draft.query) draft.target += `?${draft.query}`;
  if (draft.cookie) draft.headers["Cookie"] = draft.cookie.replaceAll("&", "; ");
  return draft;
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
