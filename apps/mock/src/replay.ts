import { isDeepStrictEqual } from "node:util";
import type { OpenApiDocument, OperationEntry } from "express-operations/reading";
import type { Behaviour } from "./behaviour.ts";
import { type MockResponse, exampleResponse } from "./examples.ts";

/**
 * An operation that declares the header `Idempotency-Key`: the same key and body get the first answer again, marked
 * `Idempotency-Replayed` where that is declared, and another body gets the declared 422.
 */
export function withReplay(document: OpenApiDocument, entry: OperationEntry, behave: Behaviour): Behaviour {
  const declared = entry.parameters.find(
    ({ in: place, name }) => place === "header" && /^idempotency-key$/i.test(name),
  );
  if (declared === undefined) return behave;
  const first = new Map<unknown, { body: unknown; answer: MockResponse }>();
  return (input) => {
    const key = input.headers[declared.name];
    const kept = first.get(key);
    if (key === undefined || kept === undefined) {
      const body = structuredClone(input.body);
      const answer = behave(input);
      if (key !== undefined) first.set(key, { body, answer });
      return answer;
    }
    if (isDeepStrictEqual(kept.body, input.body)) {
      return { ...kept.answer, headers: { ...kept.answer.headers, "Idempotency-Replayed": "true" } };
    }
    return exampleResponse(document, entry, 422) ?? kept.answer;
  };
}
