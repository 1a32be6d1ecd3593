import type { HeaderObject, OpenApiDocument, OperationEntry, ResponseObject, Schema } from "../document/document.ts";
import { resolve, responseKey, unescapeKey } from "../document/document.ts";
import { responseEov } from "../eov.ts";
import { excerpt } from "../document/excerpt.ts";
import { isJson, parseMediaType } from "../media-type.ts";
import type { HandlerResponse } from "./respond.ts";

/** An answer that breaks the contract. It tells where and what kind of value, never the value. */
export interface Violation {
  operationId: string;
  status: number;
  /** JSON pointer (RFC 6901) into `{ body, headers }`, such as `/body/0/id`. */
  pointer: string;
  /** What the schema asks for. */
  message: string;
  /** The JSON type of the value found there. */
  valueType: string;
}

/** Gives what is wrong with an answer. */
export type CheckResponse = (response: HandlerResponse) => Promise<Violation[]>;

/** Which answers are checked: none, all, or a share of them between 0 and 1. */
export type CheckedShare = "off" | "always" | { sample: number };

/**
 * Checks what a handler returned, body and headers, by the schemas of the declared response. EOV judges: each declared
 * response becomes a status of a made-up operation that answers with `{ body, headers }`, since EOV looks neither at
 * headers nor at 5xx by itself.
 */
export async function responseCheck(document: OpenApiDocument, entry: OperationEntry): Promise<CheckResponse> {
  const cases = new Map<string, number>();
  const responses: Record<string, object> = {};
  for (const [key, node] of Object.entries(entry.operation.responses ?? {})) {
    const response = resolve<ResponseObject>(document, node);
    for (const [contentType, schema] of bodySchemas(response)) {
      const status = 200 + cases.size;
      cases.set(`${key} ${contentType}`, status);
      responses[status] = {
        description: "",
        content: { "application/json": { schema: envelope(document, response, schema) } },
      };
    }
  }
  const part = excerpt(document, "get", { operationId: entry.id, responses });
  const validate = await responseEov(part.document, part.at);

  return async (handlerResponse) => {
    const key = responseKey(entry, handlerResponse.status);
    const status = cases.get(`${key} ${handlerResponse.contentType ?? ""}`);
    const sent = { body: handlerResponse.body, headers: handlerResponse.headers ?? {} };
    const faults = status === undefined ? [] : await validate(status, sent);
    return faults.map(({ path, message }) => {
      const pointer = path.replace(/^\/response/, "");
      return {
        operationId: entry.id,
        status: handlerResponse.status,
        pointer,
        message,
        valueType: typeAt(sent, pointer),
      };
    });
  };
}

function bodySchemas(response: ResponseObject): [contentType: string, schema: Schema | undefined][] {
  const contents = Object.entries(response.content ?? {});
  if (contents.length === 0) return [["", undefined]];
  return contents.map(([contentType, { schema }]) => [
    contentType,
    isJson(parseMediaType(contentType)?.essence ?? "") ? (schema ?? {}) : {},
  ]);
}

/** The schema of `{ body, headers }`; no body is allowed where none is declared. */
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
        properties: Object.fromEntries(headers.map(({ name, schema }) => [name, schema ?? {}])),
      },
    },
  };
}

function typeAt(root: unknown, pointer: string): string {
  let value = root;
  for (const key of pointer.split("/").slice(1)) {
    value = (value as Record<string, unknown> | undefined | null)?.[unescapeKey(key)];
  }
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
