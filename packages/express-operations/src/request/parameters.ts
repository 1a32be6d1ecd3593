import type { IncomingMessage } from "node:http";
import { parseCookie } from "cookie";
import { type OpenApiDocument, type OperationEntry, type ParameterObject, parameterNames } from "openapi-document";
import { unreadableParameter } from "../problem.ts";
import { decodeFormText, isPercentEncoded, queryReader } from "./query.ts";
import { querystringReader } from "./querystring.ts";
import { scalarOf, scalarTypesOf } from "./scalar.ts";
import { kindOf, styleOf, textReader } from "./style.ts";

/** The parameters of a request, by location. Header names are lower case. */
export interface Parameters {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  headers: Record<string, unknown>;
  cookies: Record<string, unknown>;
  /** Undeclared query parameters that the operation allows. They are not validated. */
  undeclared: object | undefined;
}

type Read = (raw: string) => unknown;

/**
 * Returns the reader of an operation's parameters. `values` are the values of the path template in order, and `search` is
 * the query; both are percent-encoded. A value that is not in the style of its parameter gets a 400. A value that is not
 * of its type stays a text. `credentials` are the names of query parameters that carry API keys.
 */
export function parametersReader(document: OpenApiDocument, entry: OperationEntry, credentials: string[]) {
  const readersIn = (location: ParameterObject["in"]): Map<string, Read> => {
    const own = entry.parameters.filter((parameter) => parameter.in === location);
    return new Map(own.map((parameter) => [parameter.name, readerOf(document, parameter)]));
  };
  const declaredPath = readersIn("path");
  const path = parameterNames(entry.path).map((name): [string, Read] => {
    return [name, declaredPath.get(name) ?? ((raw) => decodeSegment(name, raw))];
  });
  const headers = Array.from(readersIn("header"), ([name, read]): [string, Read] => [name.toLowerCase(), read]);
  const cookies = [...readersIn("cookie")];
  const whole = entry.parameters.find((parameter) => parameter.in === "querystring");
  const readQuery =
    whole === undefined ? queryReader(document, entry, credentials) : querystringReader(document, whole);
  const needsQuery = entry.parameters.some((parameter) => parameter.in === "query" && parameter.required === true);

  return (values: string[], search: string, request: Pick<IncomingMessage, "headers">): Parameters => {
    const inPath: Parameters["path"] = {};
    for (let at = 0; at < path.length; at++) {
      const [name, read] = path[at]!;
      inPath[name] = read(values[at]!);
    }
    const query = search === "" && !needsQuery ? { values: {}, others: undefined } : readQuery(search);
    return {
      path: inPath,
      query: query.values,
      headers: readEach(headers, request.headers),
      cookies: cookies.length === 0 ? {} : readEach(cookies, cookieTexts(request.headers.cookie)),
      undeclared: query.others,
    };
  };
}

export function namedHeaders(parameters: ParameterObject[], headers: Record<string, unknown>): Record<string, unknown> {
  const named: Record<string, unknown> = {};
  for (const { in: location, name } of parameters) {
    const key = name.toLowerCase();
    if (location === "header" && Object.hasOwn(headers, key)) named[name] = headers[key];
  }
  return named;
}

function readEach(readers: [string, Read][], texts: Record<string, string | string[] | undefined>) {
  const values: Record<string, unknown> = {};
  for (const [name, read] of readers) {
    const text = texts[name];
    if (text !== undefined && Object.hasOwn(texts, name)) values[name] = read(String(text));
  }
  return values;
}

/** Returns the cookies of a request, still percent-encoded. */
function cookieTexts(header = ""): Record<string, string | undefined> {
  return parseCookie(header, { decode: (text) => text });
}

function readerOf(document: OpenApiDocument, parameter: ParameterObject): Read {
  const { name, content, schema } = parameter;
  const location = parameter.in === "querystring" ? "query" : parameter.in;
  const { style } = styleOf(parameter);
  const decode = decoderOf(parameter);
  const isPlain =
    (style === "simple" || style === "form" || style === "cookie") && kindOf(document, schema) === "scalar";
  if (content === undefined && isPlain) {
    const { types, texts } = scalarTypesOf(document, schema === undefined ? [] : [schema]);
    if (texts.size === 0) return (raw) => scalarOf(decode(raw), types);
  }
  const read = textReader(document, parameter, decode);
  return (raw) => {
    try {
      return read(raw);
    } catch (error) {
      throw error instanceof SyntaxError ? unreadableParameter(location, name, error.message) : error;
    }
  };
}

/** Cookies of the style `cookie` are not percent-encoded (OpenAPI 3.2, "Style Values"). */
function decoderOf({ in: location, name, style }: ParameterObject): (text: string) => string {
  if (location === "path") return (text) => decodeSegment(name, text);
  return style === "cookie" || location === "querystring" ? (text) => text : DECODERS[location];
}

const DECODERS = {
  query: decodeFormText,
  header: (text: string) => text.trim(), // white space around items is insignificant (RFC 9110, section 5.6.1)
  cookie: (text: string) => (isPercentEncoded(text) ? decodeURIComponent(text) : text),
};

function decodeSegment(name: string, value: string): string {
  try {
    return value.includes("%") ? decodeURIComponent(value) : value;
  } catch {
    throw unreadableParameter("path", name, "is not valid percent-encoding. Write a percent sign itself as %25");
  }
}
