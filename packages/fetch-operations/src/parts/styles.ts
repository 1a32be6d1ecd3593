import { type Parameter, textOf } from "../request/parameter.ts";

type Style = "simple" | "label" | "matrix" | "form" | "spaceDelimited" | "pipeDelimited" | "deepObject";
type Write = NonNullable<Parameter["write"]>;

/** The separators of exploded values; those of other values are commas. */
const SEPARATORS = { simple: ",", label: ".", matrix: ";", form: "&", spaceDelimited: "%20", pipeDelimited: "|" };

/** Returns a function that writes a value in a style of OpenAPI 3.1 (section 4.8.12.6, "Style Examples"). */
export function styled(style: Style, isExploded: boolean, allowReserved = false): Write {
  const encode = (value: unknown, name: string): string =>
    allowReserved ? encodeUnreserved(textOf(name, value)) : encodeURIComponent(textOf(name, value));
  if (style === "deepObject")
    return (name, value) => deepPairs(encodeURIComponent(name), value, name, encode).join("&");
  return (name, value) => {
    const isNamed = style !== "simple" && style !== "label";
    const own = isNamed ? `${encodeURIComponent(name)}=` : "";
    const separator = isExploded
      ? SEPARATORS[style]
      : style === "spaceDelimited" || style === "pipeDelimited"
        ? SEPARATORS[style]
        : ",";
    const prefix = style === "label" ? "." : style === "matrix" ? ";" : "";
    if (Array.isArray(value)) {
      const items = value.filter(isPresent).map((item) => encode(item, name));
      if (items.length === 0 && style === "form") return "";
      if (isExploded)
        return (
          prefix + items.map((item) => own + item).join(separator === "%20" || separator === "|" ? "&" : separator)
        );
      return prefix + own + items.join(separator);
    }
    if (!isPlainObject(value)) return prefix + own + encode(value, name);
    const fields = Object.entries(value).filter(([, field]) => isPresent(field));
    if (fields.length === 0 && style === "form") return "";
    if (isExploded)
      return prefix + fields.map(([key, field]) => `${encodeURIComponent(key)}=${encode(field, name)}`).join(separator);
    return (
      prefix + own + fields.flatMap(([key, field]) => [encodeURIComponent(key), encode(field, name)]).join(separator)
    );
  };
}

/** Returns a function that writes a value in a header in the style `simple`, which headers do not encode. */
export function styledHeader(isExploded: boolean): Write {
  return (name, value) => {
    if (Array.isArray(value))
      return value
        .filter(isPresent)
        .map((item) => textOf(name, item))
        .join(",");
    if (!isPlainObject(value)) return textOf(name, value);
    const fields = Object.entries(value).filter(([, field]) => isPresent(field));
    return fields.map(([key, field]) => key + (isExploded ? "=" : ",") + textOf(name, field)).join(",");
  };
}

/** Returns a function that writes a value as JSON, for a parameter with `content`. */
export function jsonParameter(location: Parameter["in"]): Write {
  return (name, value) => {
    const json = JSON.stringify(value);
    if (location === "header") return json;
    const encoded = encodeURIComponent(json);
    return location === "path" ? encoded : `${encodeURIComponent(name)}=${encoded}`;
  };
}

/** Returns `name[key]=value` for each field at any depth. Items of arrays have the name of their array with `[]`, or an index if they are objects. */
export function deepPairs(
  path: string,
  value: unknown,
  name: string,
  encode: (value: unknown, name: string) => string,
): string[] {
  if (!isPresent(value)) return [];
  if (Array.isArray(value))
    return value.flatMap((item, index) =>
      isPlainObject(item) || Array.isArray(item)
        ? deepPairs(`${path}[${index}]`, item, name, encode)
        : deepPairs(`${path}[]`, item, name, encode),
    );
  if (isPlainObject(value))
    return Object.entries(value).flatMap(([key, field]) =>
      deepPairs(`${path}[${encodeURIComponent(key)}]`, field, name, encode),
    );
  return [`${path}=${encode(value, name)}`];
}

/** Returns whether a value is an object of fields, and not one with a text of its own, such as a date. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Encodes a text except the reserved characters of RFC 3986, section 2.2, which cannot end a value or the query. */
function encodeUnreserved(text: string): string {
  return encodeURIComponent(text).replaceAll(/%(?:3A|2F|3F|5B|5D|40|24|2C|3B|3D)/g, decodeURIComponent);
}
