import { unescapeKey } from "openapi-document";

/** A request that a handler received, and its response, as far as runtime expressions read them. */
export interface CallbackSource {
  /** The input of the handler. */
  request: {
    path?: object;
    query?: object;
    headers?: object;
    body?: unknown;
    contentType?: string | undefined;
  };
  /** The result of the handler, for expressions with `$response` and `$statusCode`. */
  response?: { status?: number; headers?: object; body?: unknown };
  /** The URL of the request, for expressions with `$url`. */
  url?: string | URL;
}

/** Returns the value of an expression, or undefined if the request or response does not have it. */
type Evaluate = (source: CallbackSource) => unknown;

/** `$request.` or `$response.`, the location, and the rest (OpenAPI 3.1, "Runtime Expressions"). */
const SOURCE = /^\$(request|response)\.(?:(header|query|path)\.(.+)|body(?:#(|\/.*))?)$/s;

/**
 * Returns the function that resolves the URL of a callback: a runtime expression, or a text with expressions in braces
 * (OpenAPI 3.1, "Callback Object"). A value at the start of the URL is inserted as it is. Other values are
 * percent-encoded, so that they cannot change other parts of the URL. Throws for an expression that is none. The function throws a
 * `SyntaxError` that says which expression has no usable value.
 */
export function callbackUrl(template: string, method: string): (source: CallbackSource) => URL {
  const parts = template.startsWith("$") ? [`{${template}}`] : template.split(/(\{\$[^}]*\})/);
  const pieces = parts.filter((part) => part !== "").map((part, at) => pieceOf(part, method, at === 0));
  return (source) => httpUrl(pieces.map((piece) => piece(source)).join(""), `The URL from ${template}`);
}

/** Parses the absolute URL of a request. Throws a `SyntaxError` for other schemes than http and https, and for credentials. */
export function httpUrl(text: string, subject: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new SyntaxError(`${subject} is not an absolute http or https URL.`);
  if (url.username !== "" || url.password !== "") throw new SyntaxError(`${subject} contains credentials.`);
  return url;
}

/** Returns what a part of a template becomes: itself, or the value of its expression. */
function pieceOf(part: string, method: string, isFirst: boolean): (source: CallbackSource) => string {
  const expression = /^\{(\$.*)\}$/s.exec(part)?.[1];
  if (expression === undefined) return () => part;
  const evaluate = evaluator(expression, method);
  return (source) => {
    const value = evaluate(source);
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
      throw new SyntaxError(
        `${expression} ${value === undefined ? "is missing" : "is not a string, number or boolean"}.`,
      );
    return isFirst ? String(value) : encodeURIComponent(value);
  };
}

function evaluator(expression: string, method: string): Evaluate {
  if (expression === "$url") return ({ url }) => url?.toString();
  if (expression === "$method") return () => method.toUpperCase();
  if (expression === "$statusCode") return ({ response }) => response?.status;
  const [, message, location, name = "", pointer = ""] = SOURCE.exec(expression) ?? [];
  if (message === undefined || (message === "response" && (location === "query" || location === "path")))
    throw new Error(`${expression} is not a runtime expression of OpenAPI.`);
  const read = readerOf(location, name, pointer);
  return (source) => read((message === "request" ? source.request : source.response) ?? {});
}

type Message = CallbackSource["request"] & NonNullable<CallbackSource["response"]>;

function readerOf(location: string | undefined, name: string, pointer: string): (message: Message) => unknown {
  if (location === undefined) return ({ body }) => valueAt(body, pointer);
  if (location === "header") return (message) => headerOf(message, name.toLowerCase());
  return (message) => own(message[location as "query" | "path"], name);
}

/** Names of headers are case-insensitive. Handlers receive `Content-Type` as `contentType`. */
function headerOf({ headers = {}, contentType }: Message, name: string): unknown {
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  return found === undefined && name === "content-type" ? contentType : found?.[1];
}

/** Returns the value at a JSON pointer (RFC 6901), or undefined. */
function valueAt(root: unknown, pointer: string): unknown {
  return pointer.split("/").slice(1).map(unescapeKey).reduce(own, root);
}

function own(holder: unknown, key: string): unknown {
  if (Array.isArray(holder) && !/^\d+$/.test(key)) return undefined; // `length` is no item
  return typeof holder === "object" && holder !== null && Object.hasOwn(holder, key)
    ? (holder as Record<string, unknown>)[key]
    : undefined;
}
