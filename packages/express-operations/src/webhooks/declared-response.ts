import {
  type OpenApiDocument,
  type OperationEntry,
  resolve,
  type ResponseObject,
  responseKey,
  isJson,
} from "openapi-document";
import { declaredAs, parseMediaType } from "../media-type.ts";
import { MAX_DEPTH, nestsDeeper } from "../request/json.ts";
import { responseCheck } from "../response/response-check.ts";

/** A response that the document declares. */
export interface DeclaredResponse {
  status: number;
  contentType?: string;
  body?: unknown;
}

/**
 * Returns the function that reads the response of a receiver. It resolves to undefined unless status and media type are
 * declared and the body matches its schema. Headers are not validated.
 */
export function declaredResponseReader(
  document: OpenApiDocument,
  entry: OperationEntry,
): (status: number, headers: Headers, text: string | undefined) => Promise<DeclaredResponse | undefined> {
  const responses = Object.fromEntries(
    Object.entries(entry.operation.responses ?? {}).map(([key, node]) => {
      const { content = {} } = resolve<ResponseObject>(document, node);
      return [key, { content }];
    }),
  );
  const withoutHeaders = { ...entry, operation: { ...entry.operation, responses } };
  let check: ReturnType<typeof responseCheck> | undefined;
  return async (status, headers, text) => {
    const declared = responses[responseKey(entry, status) ?? ""];
    if (declared === undefined) return undefined;
    const types = Object.keys(declared.content);
    if (types.length === 0) return { status };
    const mediaType = parseMediaType(headers.get("Content-Type") ?? "");
    const declaredType = mediaType && declaredAs(mediaType, types);
    const body = mediaType && bodyOf(text, mediaType.essence);
    if (declaredType === undefined || body === undefined) return undefined;
    check ??= responseCheck(document, withoutHeaders);
    if (check.response({ status, contentType: declaredType, body }).length > 0) return undefined;
    return { status, contentType: declaredType.includes("*") ? mediaType!.canonical : declaredType, body };
  };
}

function bodyOf(text: string | undefined, essence: string): unknown {
  if (text === undefined || !isJson(essence)) return text;
  try {
    const value = JSON.parse(text) as unknown;
    return nestsDeeper(value, MAX_DEPTH) ? undefined : value; // validation would exceed the call stack
  } catch {
    return undefined;
  }
}
