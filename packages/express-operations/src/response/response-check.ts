import {
  type HeaderObject,
  type OpenApiDocument,
  type OperationEntry,
  type ResponseObject,
  type Schema,
  resolve,
  responseKey,
  schemasBelow,
  unescapeKey,
  compilerOf,
  essenceOf,
  isJson,
} from "openapi-document";
import { asStreamedBody } from "./streamed-response.ts";
import { responseEov } from "../eov/eov.ts";
import { type Excerpt, excerpt } from "../eov/excerpt.ts";
import { dropRequired } from "../eov/request-schemas.ts";
import { parseMediaType } from "../media-type.ts";
import { extensionsOf } from "../formats.ts";
import { itemFormat } from "./item-format.ts";
import type { HandlerResponse } from "./handler-response.ts";

/** A violation of the document by a response. It contains the type of the value, never the value. */
export interface Violation {
  operationId: string;
  status: number;
  /** JSON pointer (RFC 6901) into `{ body, headers }`, such as `/body/0/id`. */
  pointer: string;
  /** The requirement of the schema, as ajv words it. */
  message: string;
  /** The JSON type of the value. */
  valueType: string;
}

/** The check of an operation's responses. */
export interface ResponseCheck {
  /** Returns the violations of a response. The body of a stream is not checked. */
  response: (response: HandlerResponse) => Violation[];
  /** Returns the violations of an item of a stream, with its index as the first segment of their pointers. */
  item: (response: HandlerResponse, index: number, value: unknown) => Violation[];
}

/** Which responses are checked: none, all, or a random share between 0 and 1. */
export type CheckedShare = "off" | "always" | { sample: number };

/**
 * Returns the check of an operation's responses, headers and body, against their schemas. EOV by itself validates
 * neither headers nor 5xx. Therefore each declared response becomes a response of a synthetic operation, with a status
 * of its own and an object of body and headers as its body.
 */
export function responseCheck(document: OpenApiDocument, entry: OperationEntry): ResponseCheck {
  const cases = new Map<string, number>();
  const responses: Record<string, object> = {};
  for (const [key, node] of Object.entries(entry.operation.responses ?? {})) {
    const response = resolve<ResponseObject>(document, node);
    const addCase = (name: string, schema: object): void => {
      const status = 200 + cases.size;
      cases.set(`${key} ${name}`, status);
      responses[status] = { description: "", content: { "application/json": { schema } } };
    };
    for (const [contentType, schema] of bodySchemas(response))
      addCase(contentType, envelope(document, response, schema));
    for (const [contentType, schema] of itemSchemas(document, response))
      addCase(`${contentType} ${ITEM}`, envelope(document, {}, schema));
  }
  const part = excerpt(document, "get", { operationId: entry.id, responses });
  requireNoWriteOnly(part);
  const validate = responseEov(part.document, part.at, compilerOf(document), extensionsOf(document));

  const check = (
    { status, contentType = "" }: HandlerResponse,
    suffix: string,
    sent: { body: unknown; headers: object },
  ): Violation[] => {
    const synthetic = cases.get(`${responseKey(entry, status)} ${contentType}${suffix}`);
    const faults = synthetic === undefined ? [] : validate(synthetic, sent);
    return faults.map(({ path, message }) => {
      const pointer = path.replace(/^\/response/, "");
      return { operationId: entry.id, status, pointer, message, valueType: typeAt(sent, pointer) };
    });
  };
  return {
    response: (response) => {
      const isStream = asStreamedBody(response.body) !== undefined;
      const isWritten = !isStream && isJson(essenceOf(response.contentType ?? ""));
      const body = isStream ? "" : isWritten ? asJson(response.body) : response.body;
      const sent = { body, headers: response.headers ?? {} };
      const violations = check(response, "", sent);
      return isStream ? violations.filter(({ pointer }) => !pointer.startsWith("/body")) : violations;
    },
    item: (response, index, value) => {
      const violations = check(response, ` ${ITEM}`, { body: asJson(value), headers: {} });
      return violations.map((violation) => {
        return { ...violation, pointer: violation.pointer.replace(/^\/body/, `/body/${index}`) };
      });
    },
  };
}

/** Requires no `writeOnly` fields of responses, in place. EOV finds only those beside `required`, without references. */
function requireNoWriteOnly({ document, operation }: Excerpt): void {
  const seen = new Set<Schema>();
  for (const { content = {} } of Object.values(operation.responses ?? {}) as ResponseObject[])
    for (const { schema = {} } of Object.values(content))
      for (const [, below] of schemasBelow(document, schema, "", seen)) dropRequired(document, below, "writeOnly");
}

/** Distinguishes the case of an item from the case of its response. */
const ITEM = "item";

function itemSchemas(document: OpenApiDocument, { content = {} }: ResponseObject): [string, Schema][] {
  return Object.entries(content).flatMap(([contentType, media]): [string, Schema][] => {
    const format = itemFormat(document, contentType, media);
    return format === undefined ? [] : [[contentType, format.schema ?? {}]];
  });
}

function bodySchemas(response: ResponseObject): [contentType: string, schema: Schema | undefined][] {
  const contents = Object.entries(response.content ?? {});
  if (contents.length === 0) return [["", undefined]];
  return contents.map(([contentType, { schema }]) => [
    contentType,
    isJson(parseMediaType(contentType)?.essence ?? "") ? (schema ?? {}) : {},
  ]);
}

/** Returns the schema of `{ body, headers }`. It rejects a body if none is declared. */
function envelope(document: OpenApiDocument, response: ResponseObject, body: Schema | undefined): object {
  const headers = Object.entries(response.headers ?? {}).map(([name, node]) => {
    return { name, ...resolve<HeaderObject>(document, node) };
  });
  return {
    type: "object",
    required: body === undefined ? [] : ["body"],
    properties: {
      body: body ?? { not: {} },
      headers: {
        type: "object",
        required: headers.filter(({ required }) => required === true).map(({ name }) => name),
        properties: Object.fromEntries(headers.map(({ name, schema = {} }) => [name, linesOf(name, schema)])),
      },
    },
  };
}

/** Returns a value as its receiver reads it, such as a string for a date. */
function asJson(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? undefined : JSON.parse(text);
}

/** Only `Set-Cookie` may have several lines that do not form one list (RFC 9110, section 5.3). */
function linesOf(name: string, schema: Schema): Schema {
  return name.toLowerCase() === "set-cookie" ? { anyOf: [schema, { type: "array", items: schema }] } : schema;
}

function typeAt(root: unknown, pointer: string): string {
  let value = root;
  for (const key of pointer.split("/").slice(1)) {
    value = (value as Record<string, unknown> | undefined | null)?.[unescapeKey(key)];
  }
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
