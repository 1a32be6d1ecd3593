import { type OpenApiDocument, type OperationEntry, essenceOf, isSequential } from "openapi-document";
import type { Check, CheckMaker } from "./check-maker.ts";
import { producedTypes } from "./content-checks.ts";

/**
 * Checks the streams of events and of JSON lines that an operation declares: a request that asks for one is accepted, and
 * the items of the response match its schema. The server may decide by the body of the request, so that a response of
 * another declared media type is allowed.
 */
export function streamChecks(document: OpenApiDocument, entry: OperationEntry, check: CheckMaker): Check[] {
  const types = new Set(producedTypes(document, entry).map(essenceOf));
  return [...types]
    .filter(isSequential)
    .map((type) =>
      check.accepts(`a request for ${type} is accepted`, (request) => request.headers.set("Accept", type)),
    );
}
