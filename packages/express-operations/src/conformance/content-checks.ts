import {
  essenceOf,
  isSequential,
  type OpenApiDocument,
  type OperationEntry,
  resolve,
  type ResponseObject,
  responseKey,
} from "openapi-document";
import { declaredAs, parseMediaType } from "../media-type.ts";
import type { Check, CheckMaker } from "./check-maker.ts";
import { declaredBody } from "./request-body.ts";

/** A media type that no document declares. */
export const UNKNOWN = "application/x-unknown";

/** Limits of the server that the document does not state. */
export interface Limits {
  /** Largest request body in bytes, for all operations or by operation. Without it, the limit is not checked. */
  bodyLimit?: number | ((operationId: string) => number | undefined);
}

/**
 * Checks that undeclared media types, content codings and oversized bodies are rejected, each with its status (RFC
 * 9110, section 15.5).
 */
export function contentChecks(
  document: OpenApiDocument,
  entry: OperationEntry,
  check: CheckMaker,
  limits: Limits,
): Check[] {
  const checks: Check[] = [];
  const produced = producedTypes(document, entry);
  if (produced.length > 0 && !isTaken(UNKNOWN, produced)) {
    const title = "406 for an Accept without a declared media type";
    checks.push(check.responds([406], title, (request) => request.headers.set("Accept", UNKNOWN)));
  }
  const body = declaredBody(document, entry);
  if (body === undefined) return checks;
  if (!isTaken(UNKNOWN, body.declared)) {
    const title = "415 for a media type that is not declared";
    checks.push(check.responds([415], title, (request) => (request.body!.contentType = UNKNOWN)));
  }
  checks.push(
    check.responds([415], "415 for a compressed body", (request) => request.headers.set("Content-Encoding", "gzip")),
  );
  const bodyLimit = typeof limits.bodyLimit === "function" ? limits.bodyLimit(entry.id) : limits.bodyLimit;
  if (bodyLimit !== undefined) {
    const padding = "x".repeat(bodyLimit);
    const title = "413 for a body over the limit";
    checks.push(check.responds([413], title, (request) => (request.body!.value = { padding })));
  }
  return checks;
}

export function declaresContent(document: OpenApiDocument, entry: OperationEntry, status: number): boolean {
  const key = responseKey(entry, status);
  const response = resolve<ResponseObject>(document, entry.operation.responses?.[key ?? ""] ?? {});
  return Object.keys(response.content ?? {}).length > 0;
}

/** Returns the media types of the successful responses. */
export function producedTypes(document: OpenApiDocument, entry: OperationEntry): string[] {
  const successes = Object.entries(entry.operation.responses ?? {}).filter(([status]) => status.startsWith("2"));
  return successes.flatMap(([, node]) => Object.keys(resolve<ResponseObject>(document, node).content ?? {}));
}

function isTaken(contentType: string, declared: string[]): boolean {
  return declaredAs(parseMediaType(contentType)!, declared) !== undefined;
}

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
