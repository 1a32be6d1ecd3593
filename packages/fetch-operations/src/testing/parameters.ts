import { isJson } from "../media-type.ts";
import { typesOfSchema } from "../contract/schema-types.ts";
import type { OpenApiDocument, ParameterObject, Schema } from "openapi-document";
import { fieldSchema, itemSchema, scalarJson } from "./schema.ts";

/** A name and a value as they were sent: encoded. */
type Pair = readonly [name: string, value: string];

/** The parameters of a request as they were sent: encoded, except headers. */
export interface SentParameters {
  query: Pair[];
  cookies: Pair[];
  headers: Headers;
  /** The path's segments with parameters, by parameter. */
  segments: Readonly<Record<string, string>>;
}

/** The JSON of a parameter's value, undefined without one, and the names in the query that it was read from. */
interface ReadParameter {
  json: string | undefined;
  names: string[];
  isRepeated?: boolean;
}

const SEPARATORS: Record<string, string> = { spaceDelimited: "%20", pipeDelimited: "|" };

/** Returns the parameters of a request. `segments` are the path's encoded values, by parameter. */
export function sentParameters({ url, headers }: Request, segments: SentParameters["segments"]): SentParameters {
  const query = new URL(url).search.slice(1).replaceAll("+", "%20"); // as forms write a space
  const cookies = (headers.get("Cookie") ?? "").split(/; */);
  return { query: pairsOf(query.split("&")), cookies: pairsOf(cookies), headers, segments };
}

/**
 * Reads a parameter by its style or its media type (OpenAPI 3.1, section 4.8.12, "Parameter Object"). `declared` are the names of
 * all parameters, which are no fields of an exploded object.
 */
export function readParameter(
  document: OpenApiDocument,
  parameter: ParameterObject,
  declared: ReadonlySet<string>,
  sent: SentParameters,
): ReadParameter {
  const { name, in: location, schema } = parameter;
  if (location === "header") {
    const text = sent.headers.get(name);
    return { json: text === null ? undefined : valueJson(document, parameter, text, (part) => part), names: [] };
  }
  if (location === "path") return { json: valueJson(document, parameter, sent.segments[name]!, decoded), names: [] };
  const pairs = location === "query" ? sent.query : sent.cookies;
  const { style = "form", explode = style === "form" } = parameter;
  const kind = kindOf(document, schema);
  if (style === "deepObject") {
    const fields = pairs.filter(([key]) => decoded(key).startsWith(`${name}[`));
    const parsed = fields.map(([key, value]) => [keysOf(decoded(key)), decoded(value)] as const);
    return readFields(fields, () => deepJson(document, parsed, schema));
  }
  if (explode && kind === "object") {
    const isField = (key: string) => fieldSchema(document, schema, key) !== undefined && !declared.has(key);
    const fields = pairs.filter(([key]) => isField(decoded(key)));
    return readFields(fields, () => jsonObject(document, fields, schema, decoded));
  }
  const values = pairs.filter(([key]) => decoded(key) === name).map(([, value]) => value);
  if (values.length === 0) return { json: undefined, names: [name] };
  if (explode && kind === "array") return { json: jsonList(document, values, schema, decoded), names: [name] };
  return { json: valueJson(document, parameter, values[0]!, decoded), names: [name], isRepeated: values.length > 1 };
}

function readFields(fields: Pair[], toJson: () => string): ReadParameter {
  return { json: fields.length === 0 ? undefined : toJson(), names: fields.map(([key]) => decoded(key)) };
}

/** Returns the JSON of a value that was sent as one text. */
function valueJson(
  document: OpenApiDocument,
  { name, in: location, schema, content, ...parameter }: ParameterObject,
  sent: string,
  decode: (text: string) => string,
): string {
  if (content !== undefined) {
    const [type = ""] = Object.keys(content);
    return isJson(type) ? decode(sent) : JSON.stringify(decode(sent));
  }
  const { style = location === "query" || location === "cookie" ? "form" : "simple" } = parameter;
  const { explode = style === "form" } = parameter;
  const kind = kindOf(document, schema);
  const text = bareText(sent, style, name, kind, explode);
  if (kind === "scalar") return scalarJson(document, decode(text), schema);
  const separator = explode && style === "label" ? "." : explode && style === "matrix" ? ";" : SEPARATORS[style];
  const parts = text.split(separator ?? ",").filter((part, _index, all) => part !== "" || all.length > 1);
  if (kind === "object") return jsonObject(document, explode ? pairsOf(parts) : inPairs(parts), schema, decode);
  const items = explode && style === "matrix" ? parts.map((part) => part.slice(part.indexOf("=") + 1)) : parts;
  return jsonList(document, items, schema, decode);
}

/** Returns the text of a value without the prefix of its style, and without its name unless each item has one. */
function bareText(own: string, style: string, name: string, kind: string, explode: boolean): string {
  if (style === "label") return own.replace(/^\./, "");
  if (style !== "matrix") return own;
  const text = own.replace(/^;/, "");
  if (explode && kind !== "scalar") return text;
  return text.startsWith(`${encodeURIComponent(name)}=`) ? text.slice(text.indexOf("=") + 1) : text;
}

/** A schema that allows several kinds of values is read as a single value. */
function kindOf(document: OpenApiDocument, schema: Schema | undefined): "array" | "object" | "scalar" {
  const types = typesOfSchema(document, schema);
  const own = [...types].filter((type) => type !== "null");
  return own.length === 1 && (own[0] === "array" || own[0] === "object") ? own[0] : "scalar";
}

function jsonList(
  document: OpenApiDocument,
  items: readonly string[],
  schema: Schema | undefined,
  decode: (text: string) => string,
): string {
  const item = itemSchema(document, schema);
  return `[${items.map((text) => scalarJson(document, decode(text), item)).join(",")}]`;
}

function jsonObject(
  document: OpenApiDocument,
  fields: readonly Pair[],
  schema: Schema | undefined,
  decode: (text: string) => string,
): string {
  const members = fields.map(([key, text]) => {
    const own = fieldSchema(document, schema, decode(key));
    return `${JSON.stringify(decode(key))}:${scalarJson(document, decode(text), own)}`;
  });
  return `{${members.join(",")}}`;
}

type Field = readonly [keys: readonly string[], text: string];

/** Returns the JSON of `name[key][…]=value`, in which the items of an array have an index or no key. */
function deepJson(document: OpenApiDocument, fields: readonly Field[], schema: Schema | undefined): string {
  const [first] = fields;
  if (first![0].length === 0) return scalarJson(document, first![1], schema);
  const groups = new Map<string, Field[]>();
  for (const [[key, ...rest], text] of fields) {
    const own = key === "" ? `[${groups.size}]` : key!;
    groups.set(own, [...(groups.get(own) ?? []), [rest, text]]);
  }
  if (kindOf(document, schema) === "array") {
    const item = itemSchema(document, schema);
    return `[${Array.from(groups.values(), (group) => deepJson(document, group, item)).join(",")}]`;
  }
  const members = Array.from(groups, ([key, group]) => {
    return `${JSON.stringify(key)}:${deepJson(document, group, fieldSchema(document, schema, key))}`;
  });
  return `{${members.join(",")}}`;
}

/** Returns the keys of `name[a][b]`: `a` and `b`. */
function keysOf(name: string): string[] {
  return Array.from(name.slice(name.indexOf("[")).matchAll(/\[([^\]]*)\]/g), ([, key]) => key!);
}

function pairsOf(texts: readonly string[]): Pair[] {
  return texts
    .filter((text) => text !== "")
    .map((text) => {
      const at = text.indexOf("=");
      return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
    });
}

/** Returns `a,1,b,2` as pairs. */
function inPairs(parts: readonly string[]): Pair[] {
  return parts.flatMap((part, index): Pair[] => (index % 2 === 0 ? [[part, parts[index + 1] ?? ""]] : []));
}

/** Decodes a text of a URL. Returns a malformed one unchanged. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
