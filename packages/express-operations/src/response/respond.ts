import { hash } from "node:crypto";
import { isStringObject } from "node:util/types";
import { typeName } from "../lists.ts";
import { declaredAs, parseMediaType } from "../media-type.ts";
import {
  essenceOf,
  isJson,
  type OpenApiDocument,
  type Schema,
  type Declaration,
  itemAt,
  type Shape,
  shapesOf,
  unnamedField,
} from "openapi-document";
import type { Serialize } from "../conversions.ts";
import type { Problem } from "../problem.ts";
import type { DropUndeclared, HandlerResponse, Headers } from "./handler-response.ts";
import type { ItemFormat } from "./item-format.ts";
import { asStreamedBody, discardUnsent, expectErrors, itemWriter, StreamedResponse } from "./streamed-response.ts";

/** A response ready to be written, except for deprecation headers. */
export interface EncodedResponse {
  status: number;
  headers: Headers;
  payload: string | Uint8Array | undefined;
}

/** The result of a request. */
export type OperationResult = EncodedResponse | StreamedResponse | Problem;

/** Encodes a response. With `isTagged` it gets a strong `ETag` unless the handler has set one. */
export function encodeResponse(response: HandlerResponse, { isTagged = false } = {}): EncodedResponse {
  const { status, contentType = "application/json", body } = response;
  const headers = encodeHeaders(response.headers);
  if (body === undefined) {
    if (status !== 204 && status !== 304) headers["Content-Length"] = "0";
    return { status, headers, payload: undefined };
  }
  const payload = encode(body, contentType);
  headers["Content-Type"] = contentType;
  headers["Content-Length"] = String(Buffer.byteLength(payload));
  if (isTagged) headers["ETag"] ??= entityTagOf(payload);
  return { status, headers, payload };
}

/** Encodes the headers of a handler. */
export function encodeHeaders(values: HandlerResponse["headers"]): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (const name in values) {
    const value = values[name];
    if (value !== undefined)
      headers[/^etag$/i.test(name) ? "ETag" : name] = Array.isArray(value) ? value : String(value);
  }
  return headers;
}

/** Returns whether bodies of a media type are written as JSON. The usual media type is compared first. */
function isWrittenAsJson(contentType: string): boolean {
  return contentType === "application/json" || isJson(essenceOf(contentType));
}

function encode(body: unknown, contentType: string): string | Uint8Array {
  if (isWrittenAsJson(contentType)) return JSON.stringify(body);
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  throw new TypeError(`A body of ${contentType} has to be a string, bytes or a stream.`);
}

/**
 * Returns a handler's response with its media type and without undeclared fields and headers. A warning names each
 * undeclared header once, unless the response is checked. Throws if its status or media type is not declared.
 */
export type ResponseFilter = (response: HandlerResponse) => FilteredResponse;

/** A response without undeclared fields. The items of a stream are filtered while they are sent. */
type FilteredResponse = HandlerResponse | StreamedResponse;

/** A declared response. */
export interface DeclaredResponse {
  /** The declared header names, in lower case. */
  headers: ReadonlySet<string>;
  contentTypes: readonly string[];
  /** Converts the values of formats in headers and in a JSON body of a declared media type. */
  serialize: ((response: HandlerResponse, declaredType: string | undefined) => HandlerResponse) | undefined;
  /** By media type. */
  content: ReadonlyMap<string, DeclaredContent>;
}

/** The declared content of a media type. */
export interface DeclaredContent {
  isJson: boolean;
  /** Drops undeclared fields of a body that is written as JSON. */
  filterBody: DropUndeclared;
  items: (ItemFormat & { filter: DropUndeclared; serialize: Serialize | undefined }) | undefined;
}

/** The declared responses of an operation, and the share of responses to check. */
export interface DeclaredResponses {
  operationId: string;
  find: (status: number) => DeclaredResponse | undefined;
  /** The share of responses to check, from 0 to 1. */
  share: number;
  /** Reports the violations of a response. */
  check: (declared: DeclaredResponse, response: HandlerResponse) => void;
  /** Reports the violations of an item of a stream. */
  checkItem: (response: HandlerResponse, index: number, value: unknown) => void;
}

export function responseFilter({ operationId, find, share, check, checkItem }: DeclaredResponses): ResponseFilter {
  const byStatus = new Map<number, DeclaredResponse>();
  return (given) => {
    expectResponse(operationId, given);
    const { status } = given;
    const declared = byStatus.get(status) ?? find(status);
    if (declared === undefined) {
      throw new Error(
        `The handler of "${operationId}" returned the status ${status}: declare it in the document, or return a declared one.`,
      );
    }
    byStatus.set(status, declared);
    const contentType = given.contentType ?? declared.contentTypes[0];
    const declaredType = contentType && declaredKey(contentType, declared.contentTypes);
    const returned = declared.serialize === undefined ? given : declared.serialize(given, declaredType);
    if (
      returned.body !== undefined &&
      contentType !== undefined &&
      (declaredType === undefined || contentType.includes("*"))
    ) {
      throw new Error(
        `The handler of "${operationId}" returned ${status} as ${contentType}: declare this media type in the document, or return a declared one.`,
      );
    }
    const content = declared.content.get(declaredType ?? "");
    const isChecked = share > 0 && (share === 1 || Math.random() < share);
    const response = { ...returned, ...(declaredType !== undefined && { contentType: declaredType }) };
    const isValue = content === undefined || (content.isJson && isPlain(returned.body));
    const stream = isValue ? undefined : asStreamedBody(returned.body);
    if (stream !== undefined) expectErrors(stream);
    if (isChecked) check(declared, response);
    const headers = declaredHeaders(declared, returned.headers, (name) => {
      if (share < 1) warnOfHeader(`The handler of "${operationId}" returned ${status} with the header ${name}`);
    });
    if (content === undefined || contentType === undefined) {
      if (returned.body !== undefined) discardUnsent(returned);
      return { status, headers };
    }
    if (stream === undefined) {
      const body = isWrittenAsJson(contentType) ? content.filterBody(returned.body) : returned.body;
      return { status, headers, contentType, body };
    }
    const checkOne = isChecked ? (index: number, value: unknown) => checkItem(response, index, value) : undefined;
    const items = content.items && itemWriter(content.items, checkOne);
    return new StreamedResponse({ status, headers, contentType, body: stream, items });
  };
}

/** Whether a value is a scalar, a list or an object without a class, as JSON bodies are. This is a fast check. */
function isPlain(value: unknown): boolean {
  if (isScalar(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype;
}

function declaredHeaders(
  response: DeclaredResponse,
  headers: HandlerResponse["headers"],
  onUndeclared: (name: string) => void,
): NonNullable<HandlerResponse["headers"]> {
  const declared: NonNullable<HandlerResponse["headers"]> = {};
  for (const name in headers) {
    if (response.headers.has(name.toLowerCase())) declared[name] = headers[name];
    else if (headers[name] !== undefined) onUndeclared(name);
  }
  return declared;
}

/** The findings that a warning has named. */
const warned = new Set<string>();
/** The most findings that warnings name. Handlers may compute the names of headers. */
const MAX_WARNINGS = 100;

function warnOfHeader(finding: string): void {
  if (warned.has(finding) || warned.size === MAX_WARNINGS) return;
  warned.add(finding);
  process.emitWarning(`${finding}, which is not sent. Declare the header in the document, or leave it out.`, {
    code: "UNDECLARED_HEADER",
  });
}

function declaredKey(contentType: string, declared: readonly string[]): string | undefined {
  if (declared.includes(contentType)) return contentType;
  const type = parseMediaType(contentType);
  return type && declaredAs(type, declared);
}

/**
 * Returns a function that drops undeclared fields, so that a column added to a table never leaks. An object keeps the
 * fields that any of its schemas names. It keeps all fields if its schemas name none, or if one allows others
 * (`additionalProperties`, `unevaluatedProperties`). The same applies to the value of each kept field. `writeOnly`
 * fields are dropped. The fields are those that `JSON.stringify` writes: a value with `toJSON` counts as what that returns.
 */
export function dropUndeclared(document: OpenApiDocument, schema: Schema | undefined): DropUndeclared {
  const buildShape = shapesOf(document);
  const shapeFor = (declaration: Declaration): Shape => declaration.shape ?? buildShape(declaration);

  const filterValue = (declaration: Declaration, value: unknown, name: string | number): unknown =>
    isScalar(value) || declaration.schemas.length === 0 ? value : filterObject(shapeFor(declaration), value, name);

  const filterObject = (shape: Shape, value: object, name: string | number): unknown => {
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON !== "function") return filterFieldsOrItems(shape, value);
    if (toJSON === dateToJson) return value; // it has no fields, and lists with dates need no copies
    const written: unknown = toJSON.call(value, String(name));
    return isScalar(written) ? written : withoutToJson(filterFieldsOrItems(shape, written));
  };

  const filterFieldsOrItems = (shape: Shape, value: object): object =>
    Array.isArray(value) ? filterList(shape, value) : filterFields(shape, value as Record<string, unknown>);

  const filterList = (shape: Shape, items: unknown[]): unknown[] =>
    shape.prefix.length === 0
      ? filterItems(shape.items, items)
      : firstOf(items, items.length).map((item, at) => filterValue(itemAt(shape, at), item, at));

  const filterItems = (declaration: Declaration, items: unknown[]): unknown[] => {
    if (declaration.schemas.length === 0) return items;
    const shape = shapeFor(declaration);
    let copy: unknown[] | undefined;
    for (let at = 0; at < items.length; at++) {
      const item = items[at];
      const filtered = isScalar(item) ? item : filterObject(shape, item, at);
      if (filtered !== item) copy ??= firstOf(items, at);
      copy?.push(filtered);
    }
    return copy ?? items;
  };

  const filterFields = (shape: Shape, value: Record<string, unknown>): object => {
    const names = Object.keys(value);
    let copy: [name: string, field: unknown][] | undefined;
    for (let at = 0; at < names.length; at++) {
      const name = names[at]!;
      const field = filterField(shape, name, value[name]);
      if (field !== value[name] && copy === undefined) {
        if (isWrittenAsScalar(value)) return value;
        copy = names.slice(0, at).map((earlier) => [earlier, value[earlier]]);
      }
      if (field !== undefined) copy?.push([name, field]);
    }
    return copy === undefined ? value : Object.fromEntries(copy);
  };

  /** Returns undefined for a dropped field. JSON has no such value. */
  const filterField = (shape: Shape, name: string, value: unknown): unknown => {
    const field = shape.fields.get(name) ?? unnamedField(shape, name);
    return field === undefined || shapeFor(field).isWriteOnly ? undefined : filterValue(field, value, name);
  };

  const root: Declaration = { schemas: typeof schema === "object" ? [schema] : [] }; // `true` and `false` name no fields
  return (value) => filterValue(root, value, "");
}

const dateToJson: unknown = Reflect.get(Date.prototype, "toJSON");

/** Returns whether JSON has no fields for a value. Functions may have `toJSON`. */
function isScalar(value: unknown): value is string | number | boolean | bigint | symbol | null | undefined {
  return typeof value === "object" ? value === null : typeof value !== "function";
}

/** Returns whether JSON has no fields for a value although it has keys. */
function isWrittenAsScalar(value: object): boolean {
  const { isRawJSON } = JSON as unknown as { isRawJSON: (value: object) => boolean }; // unknown to TypeScript
  return typeof value === "function" || isStringObject(value) || isRawJSON(value);
}

/** Returns a result of `toJSON` as a value that has none, because `JSON.stringify` would call it again. */
function withoutToJson(value: object): object {
  if (typeof (value as { toJSON?: unknown }).toJSON !== "function") return value;
  return Array.isArray(value) ? firstOf(value, value.length) : { ...value, toJSON: undefined };
}

/** Returns the first items of a list as an array without a class, because a class may have `toJSON`. */
function firstOf(items: unknown[], length: number): unknown[] {
  return Array.from({ length }, (_, at) => items[at]);
}

/** Returns a strong entity tag (RFC 9110, section 8.8.3): 128 bits of a hash of the payload. */
export function entityTagOf(payload: string | Uint8Array): string {
  return `"${hash("sha256", payload, "base64url").slice(0, 22)}"`;
}

/** Throws, naming the operation, for a value of a handler that is no response. */
function expectResponse(operationId: string, returned: unknown): void {
  const remedy = "Return an object with a declared status, such as { status: 200, body }.";
  if (typeof returned !== "object" || returned === null)
    throw new TypeError(`The handler of "${operationId}" returned ${typeName(returned)}. ${remedy}`);
  const { status } = returned as { status?: unknown };
  if (typeof status !== "number" || !Number.isInteger(status) || status < 200 || status > 599)
    throw new TypeError(
      `The handler of "${operationId}" returned the status ${typeof status === "number" ? status : typeName(status)}. ${remedy}`,
    );
}
