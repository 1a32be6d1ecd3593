import type { HeaderObject, OpenApiDocument, OperationEntry, ResponseObject, Schema } from "../document/document.ts";
import { resolve, responseKey, unescapeKey } from "../document/document.ts";
import { responseEov } from "../eov.ts";
import { excerpt } from "../document/excerpt.ts";
import { isJson, parseMediaType } from "../media-type.ts";
import type { HandlerResponse } from "./respond.ts";

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

/** Resolves to the violations of a response. */
export type CheckResponse = (response: HandlerResponse) => Promise<Violation[]>;

/** Which responses are checked: none, all, or a random share between 0 and 1. */
export type CheckedShare = "off" | "always" | { sample: number };

/**
 * Returns the check of an operation's responses, headers and body, against their schemas. EOV by itself validates
 * neither headers nor 5xx. Therefore each declared response becomes a response of a synthetic operation, with a status
 * of its own and an object of body and headers as its body.
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
