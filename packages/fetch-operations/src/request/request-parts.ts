import type { OperationDescription } from "../operation.ts";
import { inTemplate, pairsOf, pathSerializer, querySerializer, type Writers } from "../parts/serializers.ts";
import { writeJson } from "./body.ts";
import { type Parameter, writeHeader } from "./parameter.ts";

/** A request as openapi-fetch takes it: parameters and body with their serializers. */
export interface RequestParts {
  /** The path template, or a path and a query that are written already. */
  target: string;
  params?: { path?: Values; query?: Values };
  headers: Record<string, string>;
  body?: unknown;
  querySerializer?: (query: object) => string;
  pathSerializer?: (url: string, values: Values) => string;
  bodySerializer?: () => unknown;
  duplex?: "half";
}

/** The parameters of one location by their names in the contract. */
type Values = Record<string, unknown>;

/** A call by path, as in openapi-fetch. */
export interface InitByPath {
  params?: { [location in Parameter["in"]]?: object | undefined } | undefined;
  body?: unknown;
  contentType?: string | undefined;
}

/**
 * Puts each argument into its place in the request. An unknown argument is sent as well, so that the service rejects it by
 * name and no data is lost silently.
 */
export function requestPartsOf(operation: OperationDescription, input?: object | null): RequestParts {
  const { parameters, hasFields } = operation;
  const params: Record<Parameter["in"], Values> = {
    path: values(),
    query: values(),
    header: values(),
    cookie: values(),
  };
  const fields = values();
  const init: InitByPath = { params, ...(hasFields && { body: fields }) };
  for (const [name, value] of Object.entries(input ?? {}) as [string, unknown][]) {
    const place = Object.hasOwn(parameters, name) ? parameters[name]! : hasFields ? "field" : "query";
    if (typeof place === "object") params[place.in][place.name ?? name] = value;
    else if (place === "body" || place === "contentType") init[place] = value as string;
    else (place === "field" ? fields : params[place])[name] = value;
  }
  return requestPartsByPath(operation, init);
}

/** Returns an object for names of any kind, `__proto__` among them. */
function values(): Values {
  return Object.create(null) as Values;
}

/** Returns the parts of a request by path. Throws for a header or a body that cannot be written. */
export function requestPartsByPath(operation: OperationDescription, init: InitByPath): RequestParts {
  const { params: { path = {}, query = {}, header = {}, cookie = {} } = {}, body, contentType } = init;
  const headers: Record<string, string> = {};
  const ofHeaders = writersOf(operation, "header");
  for (const [name, value] of Object.entries(header) as [string, unknown][])
    if (value !== undefined && value !== null) headers[name] = (ofHeaders[name] ?? writeHeader)(name, value);
  const cookies = pairsOf(cookie, writersOf(operation, "cookie"));
  if (cookies.length > 0) headers["Cookie"] = cookies.join("&").replaceAll("&", "; ");
  const own = body === undefined ? undefined : (operation.write ?? writeJson)(body, contentType);
  if (own?.contentType) headers["Content-Type"] = own.contentType;
  return {
    target: inTemplate(operation.path),
    params: { path: path as Values, query: query as Values },
    headers,
    querySerializer: querySerializer(writersOf(operation, "query")),
    pathSerializer: pathSerializer(writersOf(operation, "path")),
    ...(own && { body, bodySerializer: () => own.body }),
    ...(own?.duplex && { duplex: own.duplex }),
  };
}

/** Returns the functions that write parameters of one place, by their names in the contract, unless they are written by default. */
function writersOf({ parameters }: OperationDescription, place: Parameter["in"]): Writers {
  const writers: Record<string, Parameter["write"]> = Object.create(null) as {};
  for (const [argument, declared] of Object.entries(parameters))
    if (typeof declared === "object" && declared.in === place) writers[declared.name ?? argument] = declared.write;
  return writers;
}
