import { typesOfSchema } from "../contract/schema-types.ts";
import { type OpenApiDocument, type ParameterObject, type Schema } from "../generated/openapi.ts";
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

/** The JSON of a parameter's value, and the names in the query that it was read from. */
interface ReadParameter {
  json: string | undefined;
  names: string[];
  isRepeated?: boolean;
}

const SEPARATORS: Record<string, string> = { spaceDelimited: "%20", pipeDelimited: "|" };

/** Returns the parameters of a request. `segments` are the path's encoded values, by parameter. */
export function sentParameters({ url, headers }: Request, segments: SentParameters["segments"]): SentParameters {
  const cookies = (headers.get("Cookie") ?? "").split(/; */);
  return { query: pairsOf(new URL(url).search.slice(1).split("&")), cookies: pairsOf(cookies), headers, segments };
}

/** Reads a parameter by its style or its media type (OpenAPI 3.1, section 4.8.12, "Parameter Object"). */
export function readParameter(
  document: OpenApiDocument,
  parameter: ParameterObject,
  declared: ReadonlySet<string>,
  sent: SentParameters,
): ReadParameter {
  const { name, in: location, schema, content } = parameter;
  const isPair = location === "query" || location === "cookie";
  const { style = isPair ? "form" : "simple" } = parameter;
  const { explode = style === "form" } = parameter;
  const decode = location === "header" ? (text: string) => text : decoded;
  const pairs = location === "query" ? sent.query : sent.cookies;
  const values = isPair ? pairs.filter(([key]) => decoded(key) === name).map(([, value]) => value) : [];
  const [own] = isPair ? values : location === "path" ? [sent.segments[name]] : [sent.headers.get(name) ?? undefined];
  const names = [name];
  const kind = kindOf(document, schema);
  const json = (text: string) => scalarJson(document, decode(text), schema);
  const list = (items: string[]) => jsonList(document, items.map(decode), schema);
  const object = (fields: Pair[]) =>
    jsonObject(
      document,
      fields.map(([key, value]) => [decode(key), decode(value)] as const),
      schema,
    );

  if (content !== undefined) {
    const [type = ""] = Object.keys(content);
    const isJson = /[/+]json\b/.test(type);
    return { json: own && (isJson ? decode(own) : JSON.stringify(decode(own))), names, isRepeated: values.length > 1 };
  }
  if (style === "deepObject") {
    const fields = pairs.filter(([key]) => decoded(key).startsWith(`${name}[`));
    const parsed = fields.map(([key, value]) => [keysOf(decoded(key)), decoded(value)] as const);
    return {
      json: fields.length === 0 ? undefined : deepJson(document, parsed, schema),
      names: fields.map(([key]) => decoded(key)),
    };
  }
  if (isPair && explode && kind === "object") {
    const fields = pairs.filter(([key]) => {
      const isField = fieldSchema(document, schema, decoded(key)) !== undefined;
      return isField && !declared.has(decoded(key));
    });
    return {
      json: fields.length === 0 ? undefined : object(fields),
      names: fields.map(([key]) => decoded(key)),
    };
  }
  if (isPair && explode && kind === "array") return { json: values.length === 0 ? undefined : list(values), names };
  if (own === undefined) return { json: undefined, names };

  const text = bareText(own, style, name, kind, explode);
  const separator = explode && style === "label" ? "." : explode && style === "matrix" ? ";" : SEPARATORS[style];
  const parts = text.split(separator ?? ",");
  if (kind === "array") {
    const items = explode && style === "matrix" ? parts.map((part) => part.slice(part.indexOf("=") + 1)) : parts;
    return { json: list(text === "" ? [] : items), names };
  }
  if (kind === "object") return { json: object(explode ? pairsOf(parts) : inPairs(parts)), names };
  return { json: json(text), names, isRepeated: values.length > 1 };
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

function jsonList(document: OpenApiDocument, items: readonly string[], schema: Schema | undefined): string {
  const item = itemSchema(document, schema);
  return `[${items.map((text) => scalarJson(document, text, item)).join(",")}]`;
}

function jsonObject(document: OpenApiDocument, fields: readonly Pair[], schema: Schema | undefined): string {
  const members = fields.map(([key, text]) => {
    return `${JSON.stringify(key)}:${scalarJson(document, text, fieldSchema(document, schema, key))}`;
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
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
