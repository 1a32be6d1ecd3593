import {
  type OpenApiDocument,
  type OperationEntry,
  operationsOf,
  type ParameterObject,
  readableDocument,
} from "openapi-document";
import { exampleValue } from "../example/example-value.ts";
import { givenExample } from "openapi-document/example";
import { setParameter, type SentParameters } from "../example/parameter-style.ts";
import { encodeBody, exampleBody, type RequestBody } from "./request-body.ts";

/** The credentials of a request, not encoded: headers (cookies are a header) and query parameters. */
export interface Credentials {
  headers?: Record<string, string>;
  query?: Record<string, string>;
}

/** The parts of a request, so that a check can change one of them. */
export interface ExampleRequest extends SentParameters {
  method: string;
  /** The path template; its parameters are in `path`. */
  template: string;
  credentials: Credentials;
  body?: RequestBody;
}

/**
 * Returns a valid request with the required inputs. Values are examples, else defaults and enums, else the smallest
 * that types and bounds allow. Throws if none of these gives a value.
 */
export function exampleRequest(
  document: OpenApiDocument,
  entry: OperationEntry,
  credentials: Credentials = {},
): ExampleRequest {
  const request = emptyRequest(entry, credentials);
  for (const parameter of entry.parameters) {
    if (parameter.in === "path" || parameter.required === true) {
      setParameter(request, parameter, exampleParameter(document, parameter));
    }
  }
  const body = exampleBody(document, entry);
  return body === undefined ? request : { ...request, body };
}

/** Returns a request without inputs. */
export function emptyRequest({ method, path }: OperationEntry, credentials: Credentials): ExampleRequest {
  const parameters = { path: {}, query: [], headers: new Headers(), cookies: {} };
  return { method: method.toUpperCase(), template: path, credentials, ...parameters };
}

/**
 * Returns a valid value of a parameter. It is never an empty text, list or object, because most places and styles cannot
 * express one.
 */
export function exampleParameter(document: OpenApiDocument, parameter: ParameterObject): unknown {
  const { schema, content, name } = parameter;
  const [media] = Object.values(content ?? {}) as Pick<ParameterObject, "schema" | "example">[];
  const least = { minItems: 1, minProperties: 1, minLength: 1 };
  const node = { allOf: [schema ?? media?.schema ?? {}, least] };
  const given = givenExample(document, parameter) ?? media?.example;
  return isEmpty(given) ? exampleValue(document, node, `parameter "${name}"`) : given;
}

/** Whether a value is missing, an empty text, or a list of nothing else. */
function isEmpty(value: unknown): boolean {
  return value == null || value === "" || (Array.isArray(value) && value.every(isEmpty));
}

/** Returns the path of a request, below the base URL. `?` and `#` in a template belong to the path. */
export function pathOf({ template, path }: ExampleRequest): string {
  return template.replace(/[?#]/g, encodeURIComponent).replace(/\{([^}]+)\}/g, (_, name: string) => path[name] ?? "x");
}

/** Encodes a request for `fetch`, which sets the Content-Type of `FormData` with its boundary. */
export function encodeRequest(request: ExampleRequest) {
  const body = request.body && encodeBody(request.body);
  const headers = headersOf(request, typeof body === "string" ? request.body!.contentType : undefined);
  return { method: request.method, path: pathOf(request), query: queryOf(request), headers, body };
}

/** Returns the query of a request with its credentials: empty, or with its question mark. */
function queryOf({ query, credentials }: ExampleRequest): string {
  const own = query.filter(({ of }) => credentials.query?.[of] === undefined).map(({ text }) => text);
  const granted = Object.entries(credentials.query ?? {}).map((pair) => pair.map(encodeURIComponent).join("="));
  const texts = [...own, ...granted];
  return texts.length === 0 ? "" : `?${texts.join("&")}`;
}

/** Returns the headers of a request with its credentials and cookies. */
function headersOf(request: ExampleRequest, contentType: string | undefined): Headers {
  const headers = new Headers(request.headers);
  if (contentType !== undefined) headers.set("Content-Type", contentType);
  for (const [name, value] of Object.entries(request.credentials.headers ?? {})) headers.set(name, value);
  const cookies = Object.entries(request.cookies).map((pair) => pair.join("="));
  const cookie = [headers.get("Cookie") ?? [], cookies].flat().join("; ");
  if (cookie !== "") headers.set("Cookie", cookie);
  return headers;
}

/** A valid request of an operation according to the document, for tests that send it themselves. */
export interface Example {
  operationId: string;
  /** Upper case. */
  method: string;
  /** Path below the base URL with the query, percent-encoded. */
  target: string;
  /** The headers, without credentials. */
  headers: Record<string, string>;
  /** A form with files is `FormData`, which sets its own Content-Type. */
  body: string | FormData | undefined;
}

/**
 * Returns a valid request for each operation, made from the examples of the document. Throws if a required value has no
 * example.
 */
export function exampleRequests(document: OpenApiDocument): Example[] {
  return Array.from(exampleRequestMakers(document).values(), (make) => make());
}

/**
 * Returns a function for each operation, by operationId. It returns a valid request, as in `exampleRequests`, and throws if a
 * required value has no example.
 */
export function exampleRequestMakers(given: OpenApiDocument): Map<string, () => Example> {
  const document = readableDocument(given);
  return new Map(operationsOf(document).map((entry) => [entry.id, () => exampleOf(document, entry)]));
}

function exampleOf(document: OpenApiDocument, entry: OperationEntry): Example {
  const { method, path, query, headers, body } = encodeRequest(exampleRequest(document, entry));
  return { operationId: entry.id, method, target: path + query, headers: Object.fromEntries(headers), body };
}
