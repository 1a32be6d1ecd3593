import {
  type OpenApiDocument,
  type OperationEntry,
  operationsOf,
  resolve,
  type ResponseObject,
  readableDocument,
} from "openapi-document";
import type { HandlerResponse } from "./handler-response.ts";
import { encodeResponse, responseFilter } from "./respond.ts";
import { declaredResponses } from "./response-filter.ts";
import { StreamedResponse } from "./streamed-response.ts";

/** Returns whether an operation is a GET whose 200 declares an `ETag`, so that the 200 gets one. */
export function isTagged(document: OpenApiDocument, { method, operation }: OperationEntry): boolean {
  const { headers = {} } = resolve<ResponseObject>(document, operation.responses?.["200"] ?? {});
  return method === "get" && Object.keys(headers).some((name) => name.toLowerCase() === "etag");
}

/**
 * Returns the function that computes the `ETag` with which a GET operation sends a response of its handler, so that another
 * operation can compare `If-Match` with it by `isMatch`. Only a 200 has one, unless the handler sets it. Throws for an operation
 * without an automatic `ETag`.
 */
export function responseTagger(
  given: OpenApiDocument,
  operationId: string,
): (response: HandlerResponse) => string | undefined {
  const document = readableDocument(given);
  const entry = operationsOf(document).find(({ id }) => id === operationId);
  if (entry === undefined || !isTagged(document, entry))
    throw new Error(`"${operationId}" is not a GET operation whose 200 declares an ETag header. Declare the header.`);
  const find = declaredResponses(document, entry);
  const nothing = (): void => {};
  const filter = responseFilter({ operationId, find, share: 0, check: nothing, checkItem: nothing });
  return (response) => {
    const sent = filter(response);
    if (sent instanceof StreamedResponse) return undefined;
    return encodeResponse(sent, { isTagged: response.status === 200 }).headers["ETag"] as string | undefined;
  };
}
