import { type OpenApiDocument, operationsOf } from "../document/document.ts";
import { PathRouter } from "../request/path-router.ts";
import { type ExampleRequest, exampleRequest, pathOf } from "./example-request.ts";
import { ConformanceError, type Received } from "./exchange.ts";
import { encodeBody } from "./request-body.ts";
import { expectJson, type ResponseAssertion, responseAssertion } from "./response-assertion.ts";

/** A valid request of an operation, as far as the document says, for tests that send it in ways of their own. */
export interface Example {
  operationId: string;
  /** Upper case. */
  method: string;
  /** Below the base URL, with the query, percent-encoded. */
  target: string;
  /** None that carries a credential. */
  headers: Record<string, string>;
  /** A form with files is sent as `FormData`, which brings its own Content-Type. */
  body: string | FormData | undefined;
}

/** One valid request for each operation, by the examples of the document; throws where it gives none for a value that is needed. */
export function exampleRequests(document: OpenApiDocument): Example[] {
  return operationsOf(document).map((entry) => {
    const request = exampleRequest(document, entry);
    const body = request.body && encodeBody(request.body);
    const query = request.query.map(({ text }) => text).join("&");
    const headers = Object.fromEntries(request.headers);
    const cookies = Object.entries(request.cookies).map((pair) => pair.join("="));
    if (typeof body === "string") headers["content-type"] = request.body!.contentType;
    if (cookies.length > 0) headers["cookie"] = cookies.join("; ");
    const target = pathOf(request) + (query === "" ? "" : `?${query}`);
    return { operationId: entry.id, method: request.method, target, headers, body };
  });
}

/** Judges the answer to any request, valid or not, to the method and target below the base URL; rejects with a `ConformanceError`. */
export type ResponseValidator = (sent: { method: string; target: string }, received: Received) => Promise<void>;

/**
 * Judges by the operation that the target is of, if any: its declared statuses, media types, headers and schemas. A success
 * of no operation is outside the document, but for what OPTIONS answers without a body.
 */
export function responseValidator(document: OpenApiDocument): ResponseValidator {
  const router = new PathRouter<Map<string, { template: string; assertResponse: ResponseAssertion }>>();
  for (const entry of operationsOf(document)) {
    const methods = router.route(entry.path, () => new Map());
    methods.set(entry.method.toUpperCase(), {
      template: entry.path,
      assertResponse: responseAssertion(document, entry),
    });
  }
  return async ({ method, target }, received) => {
    const route = router.find(target.replace(/\?.*/s, ""))?.route;
    const found = route?.get(method) ?? (method === "HEAD" ? route?.get("GET") : undefined);
    if (found !== undefined) {
      const sent = { method, template: found.template } as ExampleRequest; // `assertResponse` reads nothing else
      await found.assertResponse(sent, received, received.status < 400);
    } else if (received.status >= 400) {
      if (method !== "HEAD") expectJson(received);
    } else if (method !== "OPTIONS" || route === undefined || received.text !== "") {
      throw new ConformanceError(`expected a failure where there is no operation, got ${received.status}`);
    }
  };
}
