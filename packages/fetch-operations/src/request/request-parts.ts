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

type Write = NonNullable<Parameter["write"]>;

/**
 * Puts each argument into its place in the request. An unknown argument is sent as well, so that the service rejects it by
 * name and no data is lost silently. Throws for a value that would change the path.
 */
export function requestPartsOf(operation: OperationDescription, input?: object | null): RequestParts {
  const { parameters, hasFields } = operation;
  const { put, parts } = placing(operation);
  const fields: Record<string, unknown> = {};
  const given: { body?: unknown; contentType?: unknown } = hasFields ? { body: fields } : {};
  for (const [name, value] of Object.entries(input ?? {}) as [string, unknown][]) {
    const place = Object.hasOwn(parameters, name) ? parameters[name]! : hasFields ? "field" : "query";
    if (typeof place === "object") put(place.in, place.name ?? name, value, place.write);
    else if (place === "body" || place === "contentType") given[place] = value;
    else if (place === "field") fields[name] = value;
    else put(place, name, value);
  }
  return parts(given.body, given.contentType as string | undefined);
}

/** Returns the parts of a request that is called by its path. */
export function requestPartsByPath(
  operation: OperationDescription,
  { params = {}, body, contentType }: InitByPath,
): RequestParts {
  const { put, parts } = placing(operation);
  const declared = Object.entries(operation.parameters);
  for (const location of ["path", "query", "header", "cookie"] as const) {
    for (const [name, value] of Object.entries(params[location] ?? {}) as [string, unknown][]) {
      const found = declared.find(
        ([argument, place]) => typeof place === "object" && place.in === location && (place.name ?? argument) === name,
      );
      put(location, name, value, (found?.[1] as Parameter | undefined)?.write);
    }
  }
  return parts(body, contentType);
}

/** Returns a function that puts a value into its place, and one that returns the parts of the request. */
function placing({ path }: OperationDescription) {
  const segments = new Map<string, [value: unknown, write?: Write]>();
  const headers: Record<string, string> = {};
  const texts: Record<"query" | "cookie", string[]> = { query: [], cookie: [] };
  return {
    put: (place: Parameter["in"], name: string, value: unknown, write?: Write): void => {
      if (place === "path") segments.set(name, write ? [value, write] : [value]);
      else if (value !== undefined && value !== null) {
        const text = (write ?? (place === "header" ? writeHeader : writeQuery))(name, value);
        if (place === "header") headers[name] = text;
        else if (text) texts[place].push(text);
      }
    },
    parts: (body: unknown, contentType: string | undefined): RequestParts => {
      const { query, cookie } = texts;
      if (cookie.length > 0) headers["Cookie"] = cookie.join("; ").replaceAll("&", "; ");
      const target = fill(path, segments) + (query.length > 0 ? `?${query.join("&")}` : "");
      return { target, headers, body, contentType };
    },
  };
}

/**
 * Fills in a path template. No value can be missing or make a segment empty or a dot segment, because URLs resolve those to
 * another path: https://url.spec.whatwg.org/#double-dot-path-segment
 */
function fill(template: string, values: ReadonlyMap<string, [value: unknown, write?: Write]>): string {
  // In a template, `?` and `#` are characters of the path.
  const path = template.replaceAll(/[?#]/g, encodeURIComponent);
  if (!path.includes("{")) return path;
  const segments = path.split("/").map((segment) => {
    if (!segment.includes("{")) return segment;
    const filled = segment.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
      const [value, write = writePath] = values.get(name) ?? [];
      if ((value ?? "") === "")
        throw unsendable(`The path parameter "${name}" is ${value === "" ? "empty" : String(value)}.`);
      return write(name, value);
    });
    if (filled === "" || /^(?:\.|%2e){1,2}$/i.test(filled))
      throw unsendable(`A path parameter makes the segment "${segment}" ${JSON.stringify(filled)}.`);
    return filled;
  });
  return segments.join("/");
}
