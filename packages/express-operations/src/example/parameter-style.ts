import { type ParameterObject, isJson, isRecord } from "openapi-document";

const DELIMITER: Record<string, string> = { spaceDelimited: "%20", pipeDelimited: "%7C" };

/** The encoded parameters of a request, by location. */
export interface SentParameters {
  /** Percent-encoded. */
  path: Record<string, string>;
  /** Percent-encoded `name=value`, and the name of its declared parameter. */
  query: { of: string; text: string }[];
  headers: Headers;
  cookies: Record<string, string>;
}

/**
 * Replaces a parameter of the request, encoded in its style (OpenAPI 3.1, "Style Values"). Without values, removes it.
 */
export function setParameter(request: SentParameters, parameter: ParameterObject, ...values: unknown[]): void {
  const { in: where, name, explode } = parameter;
  const [value] = values;
  const text = () =>
    parameter.content === undefined ? itemsOf(value, explode, String).join(",") : JSON.stringify(value);
  switch (where) {
    case "path":
      request.path[name] = itemsOf(value, explode, encodeURIComponent).join(",");
      break;
    case "query": {
      const others = request.query.filter(({ of }) => of !== name);
      const own = values.flatMap((each) => queryTexts(parameter, each)).map((sent) => ({ of: name, text: sent }));
      request.query = [...others, ...own];
      break;
    }
    case "querystring":
      request.query = values.map((whole) => ({ of: name, text: querystringText(parameter, whole) }));
      break;
    case "header":
      if (values.length === 0) request.headers.delete(name);
      else request.headers.set(name, text());
      break;
    case "cookie":
      if (values.length === 0) delete request.cookies[name];
      else request.cookies[name] = text();
  }
}

/** Returns a whole query: a form, or a percent-encoded text (OpenAPI 3.2, `in: querystring`). */
function querystringText({ content = {} }: ParameterObject, value: unknown): string {
  const [mediaType = ""] = Object.keys(content);
  if (mediaType === "application/x-www-form-urlencoded" && isRecord(value)) {
    const pairs = Object.entries(value).flatMap(([name, field]) => [field].flat().map((item) => [name, String(item)]));
    return new URLSearchParams(pairs).toString();
  }
  return encodeURIComponent(isJson(mediaType) ? JSON.stringify(value) : String(value));
}

/** Returns a query parameter as `name=value`, once for each time that it is given. */
function queryTexts(
  { name, content, style = "form", explode = style === "form" }: ParameterObject,
  value: unknown,
): string[] {
  const pair = (key: string, item: unknown) => `${encodeURIComponent(key)}=${encodeURIComponent(String(item))}`;
  if (content !== undefined) return [pair(name, JSON.stringify(value))];
  if (style === "deepObject" && isRecord(value)) {
    return Object.entries(value).flatMap(([key, field]) => [field].flat().map((item) => pair(`${name}[${key}]`, item)));
  }
  if (explode && Array.isArray(value)) return value.map((item) => pair(name, item));
  if (explode && isRecord(value)) return Object.entries(value).map(([key, item]) => pair(key, item));
  const items = itemsOf(value, false, encodeURIComponent);
  return [`${encodeURIComponent(name)}=${items.join(DELIMITER[style] ?? ",")}`];
}

function itemsOf(value: unknown, explode: boolean | undefined, encode: (text: string) => string): string[] {
  if (Array.isArray(value)) return value.map((item) => encode(String(item)));
  if (!isRecord(value)) return [encode(String(value))];
  return Object.entries(value)
    .map(([key, item]) => [encode(key), encode(String(item))])
    .flatMap((pair) => (explode === true ? pair.join("=") : pair));
}
