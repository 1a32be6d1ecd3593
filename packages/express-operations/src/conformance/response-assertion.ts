import {
  type HeaderObject,
  type OpenApiDocument,
  type OperationEntry,
  operationsOf,
  readableDocument,
  resolve,
  type ResponseObject,
  responseKey,
  isJson,
} from "openapi-document";
import { declaredAs, parseMediaType } from "../media-type.ts";
import { PathRouter } from "../request/path-router.ts";
import { itemFormat } from "../response/item-format.ts";
import { type ResponseCheck, responseCheck } from "../response/response-check.ts";
import type { ExampleRequest } from "./example-request.ts";
import { ConformanceError, expectHeader, type Received } from "./exchange.ts";
import { parsed, type ReceivedItem, receivedItems } from "./stream-items.ts";

/**
 * Rejects with a `ConformanceError` if a response violates the document. If the request was valid (`isValid`), an
 * undeclared status is a violation.
 */
type ResponseAssertion = (request: Sent, received: Received, isValid: boolean) => Promise<void>;

/** The method and the path template of a request. */
type Sent = Pick<ExampleRequest, "method" | "template">;

/**
 * Returns the assertion for the responses of an operation: status, media type and required headers are declared, and
 * JSON matches its schema, and so do the items of a stream. An error only has to be JSON if its status is undeclared or if it belongs to no operation
 * (404, 405).
 */
export function responseAssertion(document: OpenApiDocument, entry: OperationEntry): ResponseAssertion {
  let check: ResponseCheck | undefined;
  return async (request, received, isValid) => {
    const { status, headers, text } = received;
    const isHead = request.method === "HEAD";
    const key = isOf(entry, request) ? declaredKey(entry, status) : undefined;
    if (key === undefined) {
      if (isValid) throw new ConformanceError(`expected a declared status, got ${status}`);
      if (status >= 400 && !isHead) expectJson(received);
      return;
    }
    const response = resolve<ResponseObject>(document, entry.operation.responses![key]!);
    expectDeclaredHeaders(document, response, received);
    const contentType = expectDeclaredType(response, received, isHead);
    if (isHead || contentType === undefined) return;
    const media = response.content![contentType]!;
    if (itemFormat(document, contentType, media) !== undefined) {
      const items = receivedItems(document, contentType, media, received);
      check ??= responseCheck(document, entry);
      expectItems(check, { status, contentType }, items);
      return;
    }
    if (!isJson(parseMediaType(contentType)?.essence ?? "")) return;
    check ??= responseCheck(document, entry);
    const sent = { status, contentType, body: jsonOf(text), headers: Object.fromEntries(headers) };
    const violations = check.response(sent);
    // Received headers are text, whatever type is declared.
    const first = violations.find(({ pointer }) => pointer.startsWith("/body"));
    if (first !== undefined)
      throw new ConformanceError(`the body of ${status} at ${first.pointer} ${first.message}, got ${first.valueType}`);
  };
}

/** Expects that the schema of each item allows one of its values. */
function expectItems(
  check: ResponseCheck,
  response: { status: number; contentType: string },
  items: ReceivedItem[],
): void {
  for (const [at, values] of items.entries()) {
    const found = values.map((value) => check.item(response, at, value));
    if (found.some((violations) => violations.length === 0)) continue;
    const { pointer, message, valueType } = found[0]![0]!;
    throw new ConformanceError(`item ${at} of ${response.status} at ${pointer} ${message}, got ${valueType}`);
  }
}

/** Returns the key of a status's declared response. If successes are declared, `default` covers only errors. */
function declaredKey(entry: OperationEntry, status: number): string | undefined {
  const key = responseKey(entry, status);
  const declaresSuccess = Object.keys(entry.operation.responses ?? {}).some((declared) => /^[23]/.test(declared));
  return key === "default" && status < 400 && declaresSuccess ? undefined : key;
}

function isOf(entry: OperationEntry, { method, template }: Sent): boolean {
  const own = entry.method.toUpperCase();
  return template === entry.path && (method === own || (method === "HEAD" && own === "GET"));
}

function expectDeclaredHeaders(document: OpenApiDocument, response: ResponseObject, received: Received): void {
  for (const [name, node] of Object.entries(response.headers ?? {})) {
    const { required } = resolve<HeaderObject>(document, node);
    if (required === true && name.toLowerCase() !== "content-type") expectHeader(received, name);
  }
}

/** Returns the declared media type that matches a response, or undefined if it needs no body and has none. */
function expectDeclaredType(response: ResponseObject, received: Received, isHead: boolean): string | undefined {
  const { status, headers, text } = received;
  const declared = Object.keys(response.content ?? {});
  const sent = headers.get("Content-Type");
  if (declared.length === 0) {
    if (text === "") return undefined;
    if (status < 400) throw new ConformanceError(`expected ${status} without a body, got ${sent ?? "one"}`);
    expectJson(received);
    return undefined;
  }
  if ((isHead && sent === null) || status === 204 || status === 304) return undefined;
  const type = parseMediaType(sent ?? "");
  const found = type && declaredAs(type, declared);
  if (found === undefined)
    throw new ConformanceError(`expected ${status} as ${declared.join(" or ")}, got ${type?.essence ?? "nothing"}`);
  return found;
}

/** Expects a JSON body with a JSON media type. */
function expectJson({ status, headers, text }: Received): void {
  const essence = parseMediaType(headers.get("Content-Type") ?? "")?.essence ?? "";
  if (!isJson(essence))
    throw new ConformanceError(`expected a failure as JSON, got ${status} as ${essence || "nothing"}`);
  jsonOf(text);
}

function jsonOf(text: string): unknown {
  const value = parsed(text);
  if (value === undefined) throw new ConformanceError("expected a body of JSON, got text that is not JSON");
  return value;
}

/**
 * Validates the response to any request, valid or not. The target is below the base URL. Rejects with a
 * `ConformanceError`.
 */
export type ResponseValidator = (sent: { method: string; target: string }, received: Received) => Promise<void>;

/**
 * Returns a function that validates responses against the operation of their request: declared statuses, media types,
 * headers and schemas. Without such an operation, only an error or an OPTIONS response without a body conforms.
 */
export function responseValidator(given: OpenApiDocument): ResponseValidator {
  const document = readableDocument(given);
  const router = new PathRouter<Map<string, { template: string; assertResponse: ResponseAssertion }>>();
  for (const entry of operationsOf(document)) {
    const methods = router.route(entry.path, () => new Map());
    const assertResponse = responseAssertion(document, entry);
    methods.set(entry.method.toUpperCase(), { template: entry.path, assertResponse });
  }
  return async ({ method, target }, received) => {
    const route = router.find(target.replace(/\?.*/s, ""))?.route;
    const found = route?.get(method) ?? (method === "HEAD" ? route?.get("GET") : undefined);
    if (found !== undefined) {
      await found.assertResponse({ method, template: found.template }, received, received.status < 400);
    } else if (received.status >= 400) {
      if (method !== "HEAD") expectJson(received);
    } else if (method !== "OPTIONS" || route === undefined || received.text !== "") {
      throw new ConformanceError(`expected a failure where there is no operation, got ${received.status}`);
    }
  };
}
