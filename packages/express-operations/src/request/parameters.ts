import { type OpenApiDocument, type OperationEntry, type ParameterObject, parameterNames } from "openapi-document";
import { unreadableParameter } from "../problem.ts";
import { decodeFormText, isPercentEncoded, queryReader } from "./query.ts";
import { querystringReader } from "./querystring.ts";
import { kindOf, styleOf, textReader } from "./style.ts";
import { type Read, scalarReader, scalarTypesOf, segmentDecoder, valuesReader } from "./values.ts";

/**
 * Returns the reader of an operation's parameters. It takes the values of the path template in order, percent-encoded, and the
 * request. A value that is not in the style of its parameter gets a 400. A value that is not
 * of its type stays a text. `credentials` are the names of query parameters that carry API keys.
 */
export function parametersReader(
  document: OpenApiDocument,
  entry: OperationEntry,
  credentials: string[],
  ignoresOthers = false,
) {
  const readersIn = (location: ParameterObject["in"]): Map<string, Read> => {
    const own = entry.parameters.filter((parameter) => parameter.in === location);
    return new Map(own.map((parameter) => [parameter.name, readerOf(document, parameter)]));
  };
  const declaredPath = readersIn("path");
  const path = parameterNames(entry.path).map((name): [string, Read] => {
    return [name, declaredPath.get(name) ?? segmentDecoder(name)];
  });
  const headers = Array.from(readersIn("header"), ([name, read]): [string, Read] => [name.toLowerCase(), read]);
  const whole = entry.parameters.find((parameter) => parameter.in === "querystring");
  const readQuery =
    whole === undefined ? queryReader(document, entry, credentials, ignoresOthers) : querystringReader(document, whole);
  const needsQuery = entry.parameters.some((parameter) => parameter.in === "query" && parameter.required === true);

  return valuesReader({ path, query: readQuery, needsQuery, headers, cookies: [...readersIn("cookie")] });
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
    if (texts.size === 0) return scalarReader(types, decode);
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
  if (location === "path") return segmentDecoder(name);
  return style === "cookie" || location === "querystring" ? (text) => text : DECODERS[location];
}

const DECODERS = {
  query: decodeFormText,
  header: (text: string) => text.trim(), // white space around items is insignificant (RFC 9110, section 5.6.1)
  cookie: (text: string) => (isPercentEncoded(text) ? decodeURIComponent(text) : text),
};
