import type { OperationDescription } from "../operation.ts";
import { type BodyWriter, writeJson } from "./body.ts";
import { type Parameter, writeHeader, writePath, writeQuery } from "./parameter.ts";
import { UnsendableRequest } from "./unsendable-request.ts";

/** The parts of a request, serialized. */
export interface RequestParts {
  /** The path and the query. */
  target: string;
  headers: Record<string, string>;
  body?: unknown;
  /** Writes `body`, with the media type that the request declares. */
  writer?: BodyWriter | undefined;
  contentType?: string | undefined;
}

/** A call by path: the parameters by location, as in openapi-fetch. */
export interface InitByPath {
  params?: { [location in "path" | "query" | "header" | "cookie"]?: object | undefined } | undefined;
  body?: unknown;
  contentType?: string | undefined;
}

type Values = Map<string, [parameter: Parameter | undefined, value: unknown]>;

/**
 * Puts each argument into its place in the request. An unknown argument is sent as well, so that the service rejects it by
 * name and no data is lost silently. Throws `UnsendableRequest` for a value that would change the path.
 */
export function requestPartsOf(operation: OperationDescription, input: object | null = {}): RequestParts {
  const { parameters, hasFields } = operation;
  const places = { path: new Map(), query: new Map(), header: new Map(), cookie: new Map() } as Record<string, Values>;
  const fields: Record<string, unknown> = {};
  let body: unknown = hasFields ? fields : undefined;
  let contentType: string | undefined;
  for (const [name, value] of Object.entries(input ?? {}) as [string, unknown][]) {
    const place = Object.hasOwn(parameters, name) ? parameters[name]! : hasFields ? "field" : "query";
    if (typeof place === "object") places[place.in]!.set(place.name ?? name, [place, value]);
    else if (place === "body") body = value;
    else if (place === "contentType") contentType = value as string | undefined;
    else if (place === "field") fields[name] = value;
    else places[place]!.set(name, [undefined, value]);
  }
  return partsOf(operation, places, body, contentType);
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
  const places: Record<string, Values> = {};
  for (const location of ["path", "query", "header", "cookie"] as const) {
    const entries = Object.entries(params[location] ?? {}) as [string, unknown][];
    places[location] = new Map(entries.map(([name, value]) => [name, [known.get(`${location} ${name}`), value]]));
  }
  return partsOf(operation, places, body, contentType);
}

function partsOf(
  { path, bodies }: OperationDescription,
  places: Record<string, Values>,
  body: unknown,
  contentType: string | undefined,
): RequestParts {
  const { path: inPath, query, header, cookie } = places;
  const search = texts(query!, writeQuery).join("&");
  const headers: Record<string, string> = {};
  for (const [name, [parameter, value]] of header!)
    if (value !== undefined && value !== null) headers[name] = (parameter?.write ?? writeHeader)(name, value);
  const cookies = texts(cookie!, writeQuery);
  if (cookies.length > 0) headers["Cookie"] = cookies.join("; ").replaceAll("&", "; ");
  const target = fill(path, inPath!) + (search && `?${search}`);
  if (body === undefined) return { target, headers };
  const type = contentType ?? Object.keys(bodies ?? {})[0] ?? "application/json";
  const writer = bodies === undefined ? writeJson : bodies[type];
  if (writer === undefined)
    throw new UnsendableRequest(
      `The operation takes no body of type ${type}. Pass one of ${Object.keys(bodies!).join(", ")}.`,
    );
  return { target, headers, body, writer, contentType: type };
}

function texts(values: Values, write: NonNullable<Parameter["write"]>): string[] {
  const written: string[] = [];
  for (const [name, [parameter, value]] of values) {
    if (value === undefined || value === null) continue;
    const text = (parameter?.write ?? write)(name, value);
    if (text !== "") written.push(text);
  }
  return written;
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
      if (value === undefined || value === null || value === "")
        throw new UnsendableRequest(`The path parameter "${name}" is ${value === "" ? "empty" : String(value)}.`);
      return (parameter?.write ?? writePath)(name, value);
    });
    if (filled === "" || /^(?:\.|%2e){1,2}$/i.test(filled))
      throw new UnsendableRequest(`A path parameter makes the segment "${segment}" ${JSON.stringify(filled)}.`);
    return filled;
  });
  return segments.join("/");
}
