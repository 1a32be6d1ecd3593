import { type OpenApiDocument, type OperationEntry, operationsOf, readableDocument } from "openapi-document";
import { PathRouter } from "../request/path-router.ts";
import { encodeRequest, type ExampleRequest, exampleRequest } from "./example-request.ts";
import { ConformanceError, type Received } from "./exchange.ts";
import { expectJson, type ResponseAssertion, responseAssertion } from "./response-assertion.ts";

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
