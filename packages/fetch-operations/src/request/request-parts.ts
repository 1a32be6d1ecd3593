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

type Values = Map<string, [parameter: Partial<Parameter>, value: unknown]>;

type Places = Record<Parameter["in"], Values>;

const placesOf = (): Places => ({ path: new Map(), query: new Map(), header: new Map(), cookie: new Map() });

/**
 * Puts each argument into its place in the request. An unknown argument is sent as well, so that the service rejects it by
 * name and no data is lost silently. Throws for a value that would change the path.
 */
export function requestPartsOf(operation: OperationDescription, input?: object | null): RequestParts {
  const { parameters, hasFields } = operation;
  const places = placesOf();
  const fields: Record<string, unknown> = {};
  const given: { body?: unknown; contentType?: unknown } = hasFields ? { body: fields } : {};
  for (const [name, value] of Object.entries(input ?? {}) as [string, unknown][]) {
    const place = Object.hasOwn(parameters, name) ? parameters[name]! : hasFields ? "field" : "query";
    if (typeof place === "object") places[place.in].set(place.name ?? name, [place, value]);
    else if (place === "body" || place === "contentType") given[place] = value;
    else if (place === "field") fields[name] = value;
    else places[place].set(name, [{}, value]);
  }
  return partsOf(operation, places, given);
}

/** Returns the parts of a request that is called by its path. */
export function requestPartsByPath(
  operation: OperationDescription,
  { params = {}, body, contentType }: InitByPath,
): RequestParts {
  const declared = Object.entries(operation.parameters).flatMap(([name, place]) =>
    typeof place === "object" ? [[`${place.in} ${place.name ?? name}`, place] as const] : [],
  );
  const known = new Map(declared);
  const places = placesOf();
  for (const location of ["path", "query", "header", "cookie"] as const)
    for (const [name, value] of Object.entries(params[location] ?? {}) as [string, unknown][])
      places[location].set(name, [known.get(`${location} ${name}`) ?? {}, value]);
  return partsOf(operation, places, { body, contentType });
}

function partsOf(
  { path }: OperationDescription,
  { path: inPath, query, header, cookie }: Places,
  { body, contentType }: { body?: unknown; contentType?: unknown },
): RequestParts {
  const search = texts(query, writeQuery).join("&");
  const headers: Record<string, string> = {};
  for (const [name, text] of written(header, writeHeader)) headers[name] = text;
  const cookies = texts(cookie, writeQuery).join("; ");
  if (cookies) headers["Cookie"] = cookies.replaceAll("&", "; ");
  const target = fill(path, inPath) + (search && `?${search}`);
  return { target, headers, body, contentType: contentType as string | undefined };
}

function texts(values: Values, write: NonNullable<Parameter["write"]>): string[] {
  return written(values, write).flatMap(([, text]) => text || []);
}

/** Returns the values that are present, as texts. */
function written(values: Values, write: NonNullable<Parameter["write"]>): [name: string, text: string][] {
  return Array.from(values).flatMap(([name, [parameter, value]]): [string, string][] =>
    value === undefined || value === null ? [] : [[name, (parameter.write ?? write)(name, value)]],
  );
}

/**
 * Fills in a path template. No value can be missing or make a segment empty or a dot segment, because URLs resolve those to
 * another path: https://url.spec.whatwg.org/#double-dot-path-segment
 */
function fill(template: string, values: Values): string {
  // In a template, `?` and `#` are characters of the path.
  const path = template.replaceAll(/[?#]/g, encodeURIComponent);
  if (!path.includes("{")) return path;
  const segments = path.split("/").map((segment) => {
    if (!segment.includes("{")) return segment;
    const filled = segment.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
      const [parameter, value] = values.get(name) ?? [];
      if ((value ?? "") === "")
        throw unsendable(`The path parameter "${name}" is ${value === "" ? "empty" : String(value)}.`);
      return (parameter?.write ?? writePath)(name, value);
    });
    if (filled === "" || /^(?:\.|%2e){1,2}$/i.test(filled))
      throw unsendable(`A path parameter makes the segment "${segment}" ${JSON.stringify(filled)}.`);
    return filled;
  });
  return segments.join("/");
}
