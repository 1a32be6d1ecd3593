import {
  type MediaTypeObject,
  type OpenApiDocument,
  type ParameterObject,
  resolve,
  type Schema,
  nonNullTypesOf,
  shapesOf,
  isJson,
} from "openapi-document";
import { parseJson } from "./json.ts";
import { type Sent, typedBy } from "./typed.ts";

const DEFAULT_STYLES = { path: "simple", query: "form", querystring: "form", header: "simple", cookie: "form" };

/** Returns the style of a parameter and whether it is exploded, with the defaults of OpenAPI 3.1, "Parameter Object". */
export function styleOf({ in: location, style = DEFAULT_STYLES[location], explode }: ParameterObject) {
  return { style, explode: explode ?? (style === "form" || style === "cookie") };
}

/**
 * Returns the function that reads the text of a parameter: it divides the text by the parameter's style (OpenAPI 3.1,
 * "Style Values"; RFC 6570), decodes the parts, and types them by the schema. The text is still encoded, so that an
 * encoded delimiter is a part of an item. The function throws a SyntaxError for a text that is not in the style, and for
 * JSON that parsing would change.
 */
export function textReader(
  document: OpenApiDocument,
  parameter: ParameterObject,
  decode: (text: string) => string,
): (raw: string) => unknown {
  const { content, schema } = parameter;
  if (content !== undefined) {
    if (!isJsonContent(content)) return decode;
    const parse = jsonReader(document, content);
    return (raw) => parse(decode(raw));
  }
  const divide = divider(document, parameter, decode);
  const typed = typedBy(document, schema);
  return (raw) => typed(decode(raw), () => divide(raw));
}

export function isJsonContent(content: Record<string, unknown>): boolean {
  return Object.keys(content).some((mediaType) => isJson(mediaType) || mediaType.endsWith("/json"));
}

/** Many clients send a string without the quotation marks of JSON. The schema tells it from other values. */
function jsonReader(document: OpenApiDocument, content: Record<string, MediaTypeObject>): (text: string) => unknown {
  const types = nonNullTypesOf(document, Object.values(content)[0]!.schema);
  if (types.size !== 1 || !types.has("string")) return parseJson;
  return (text) => (text.startsWith('"') ? parseJson(text) : text);
}

/** Whether a value is one text, a list of texts, or named texts. A value that may be one text is one. */
type Kind = "scalar" | "array" | "object";

export function kindOf(document: OpenApiDocument, schema: Schema | undefined): Kind {
  const types = nonNullTypesOf(document, schema);
  if (types.has("string")) return "scalar";
  if (types.has("array")) return "array";
  return types.has("object") || (types.size === 0 && fieldsOf(document, schema).length > 0) ? "object" : "scalar";
}

function divider(
  document: OpenApiDocument,
  parameter: ParameterObject,
  decode: (text: string) => string,
): (raw: string) => Sent {
  const { name, schema } = parameter;
  const { style, explode } = styleOf(parameter);
  const kind = kindOf(document, schema);
  const delimiter = delimiterOf(document, parameter);
  const parts = (text: string, separator: string | RegExp): Sent => {
    const texts = text === "" && parameter.in !== "query" ? [] : text.split(separator);
    return kind === "array" ? texts.map(decode) : objectOf(texts, explode, decode);
  };
  if (style === "label") {
    return (raw) => {
      if (!raw.startsWith(".")) throw new SyntaxError("must begin with a dot");
      return kind === "scalar" ? decode(raw.slice(1)) : parts(raw.slice(1), explode ? "." : ",");
    };
  }
  if (style === "matrix") {
    const fault = `must be written as ;${name}=value`;
    return (raw) => {
      if (!raw.startsWith(";"))
        throw new SyntaxError(explode && kind === "object" ? "must be written as ;field=value" : fault);
      const texts = raw.slice(1).split(";");
      if (explode && kind === "object") return objectOf(texts, true, decode);
      const pairs = texts.map(splitPair);
      if (pairs.some(([own]) => decode(own) !== name)) throw new SyntaxError(fault);
      const values = pairs.map(([, value = ""]) => value);
      if (explode && kind === "array") return values.map(decode);
      if (values.length > 1) throw new SyntaxError(fault);
      return kind === "scalar" ? decode(values[0]!) : parts(values[0]!, ",");
    };
  }
  return kind === "scalar" || style === "deepObject" ? decode : (raw) => parts(raw, delimiter);
}

/**
 * Returns what separates the items of a parameter. In a query a separator may be percent-encoded, but not a comma among
 * strings, because it may be a part of one.
 */
function delimiterOf(document: OpenApiDocument, parameter: ParameterObject): string | RegExp {
  switch (styleOf(parameter).style) {
    case "spaceDelimited":
      return /%20|\+/;
    case "pipeDelimited":
      return /\||%7c/i;
    default: {
      const { items } = shapesOf(document)({ schemas: [resolve<Schema>(document, parameter.schema ?? {})] });
      const types = items.schemas.flatMap((item) => [...nonNullTypesOf(document, item)]);
      const areNumbers = types.length > 0 && types.every((type) => type === "integer" || type === "number");
      return parameter.in === "query" && areNumbers ? /,|%2c/i : ",";
    }
  }
}

function splitPair(text: string): [name: string, value?: string] {
  const at = text.indexOf("=");
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function objectOf(texts: string[], explode: boolean, decode: (text: string) => string): Sent {
  const pairs = explode
    ? texts.map(splitPair)
    : texts.flatMap((text, at) => (at % 2 === 0 ? [[text, texts[at + 1]] as const] : []));
  const fields = new Map<string, string>();
  for (const [name, value] of pairs) {
    const key = decode(name);
    if (value === undefined)
      throw new SyntaxError(
        explode ? "must contain its fields as field=value" : "must contain the names and values of its fields in turn",
      );
    if (fields.has(key)) throw new SyntaxError("contains a field twice. Give it once");
    fields.set(key, decode(value));
  }
  return Object.fromEntries(fields);
}

/** Returns the names of the fields that a schema and the schemas it combines declare. */
export function fieldsOf(document: OpenApiDocument, schema: Schema = {}): string[] {
  return [...shapesOf(document)({ schemas: [schema] }).fields.keys()];
}
