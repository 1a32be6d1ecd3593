import { isDeepStrictEqual } from "node:util";
import type { OpenApiDocument, OperationEntry } from "openapi-document";
import type { Behaviour } from "./behaviour.ts";
import { type MockResponse, exampleResponse } from "./examples.ts";

/**
 * Adds idempotency to an operation that declares the header `Idempotency-Key`. The same key and body get the first response
 * again, with `Idempotency-Replayed` if that header is declared. The same key with another body gets the declared 422.
 */
export function withReplay(document: OpenApiDocument, entry: OperationEntry, behave: Behaviour): Behaviour {
  const declared = entry.parameters.find(
    ({ in: location, name }) => location === "header" && /^idempotency-key$/i.test(name),
  );
  if (declared === undefined) return behave;
  const first = new Map<unknown, { body: unknown; response: Promise<MockResponse> }>();
  return async (input) => {
    const key = input.headers[declared.name];
    const stored = first.get(key);
    if (key === undefined) return behave(input);
    if (stored === undefined) {
      const body = structuredClone(input.body);
      const response = behave(input);
      first.set(key, { body, response });
      response.catch(() => first.delete(key));
      return response;
    }
    const response = await stored.response;
    if (isDeepStrictEqual(stored.body, input.body))
      return { ...response, headers: { ...response.headers, "Idempotency-Replayed": "true" } };
    return (await exampleResponse(document, entry, 422, { accept: input.accept })) ?? response;
  };
}
