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

/** Resolves to an absolute URL. Throws a `SyntaxError` that says which expression has no usable value. */
type CallbackUrl = (source: CallbackSource) => URL;

/** `$request.` or `$response.`, the location, and the rest (OpenAPI 3.1, "Runtime Expressions"). */
const SOURCE = /^\$(request|response)\.(?:(header|query|path)\.(.+)|body(?:#(|\/.*))?)$/s;

/**
 * Returns the function that resolves the URL of a callback: a runtime expression, or a text with expressions in braces
 * (OpenAPI 3.1, "Callback Object"). A value at the start of the URL is inserted as it is. Other values are
 * percent-encoded, so that they cannot change other parts of the URL. Throws for an expression that is none.
 */
export function callbackUrl(template: string, method: string): CallbackUrl {
  const parts = template.startsWith("$") ? [`{${template}}`] : template.split(/(\{\$[^}]*\})/);
  const pieces = parts.filter((part) => part !== "").map((part) => pieceOf(part, method));
  return (source) => {
    const text = pieces.map((piece, at) => textOf(piece, source, at === 0)).join("");
    return httpUrl(text, `The URL from ${template}`);
  };
}

/** Parses the absolute URL of a request. Throws a `SyntaxError` for other schemes than http and https, and for credentials. */
export function httpUrl(text: string, subject: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new SyntaxError(`${subject} is not an absolute http or https URL.`);
  if (url.username !== "" || url.password !== "") throw new SyntaxError(`${subject} contains credentials.`);
  return url;
}

interface Piece {
  text: string;
  evaluate: Evaluate | undefined;
}

function pieceOf(part: string, method: string): Piece {
  const text = /^\{(\$.*)\}$/s.exec(part)?.[1];
  return text === undefined ? { text: part, evaluate: undefined } : { text, evaluate: evaluator(text, method) };
}

function textOf({ text, evaluate }: Piece, source: CallbackSource, isFirst: boolean): string {
  if (evaluate === undefined) return text;
  const value = evaluate(source);
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
    throw new SyntaxError(`${text} ${value === undefined ? "is missing" : "is not a text"}.`);
  return isFirst ? String(value) : encodeURIComponent(value);
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
