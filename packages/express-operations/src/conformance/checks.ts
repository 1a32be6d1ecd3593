import { type OpenApiDocument, type OperationEntry, operationsOf } from "../document.ts";
import { authenticationChecks } from "./authentication-checks.ts";
import { contentChecks, deprecationChecks } from "./content-checks.ts";
import { type ExampleRequest, exampleRequest } from "./example-request.ts";
import {
  accepted,
  ConformanceError,
  exchange,
  expectStatus,
  type Received,
  responseJudge,
  type Target,
} from "./exchange.ts";
import { methodChecks } from "./method-checks.ts";
import { negativeInputs } from "./negative-inputs.ts";

/** One thing a server that implements a document has to do. */
export interface Check {
  operationId: string;
  title: string;
  /** Rejects with a `ConformanceError` when the server does not. */
  run: (target: Target) => Promise<void>;
}

/** What the document does not say and the server keeps to. */
export interface Limits {
  /** Largest request body in bytes; without it that limit is not checked. */
  bodyLimit?: number;
}

/** What a check does to a valid request before it is sent. */
export type Change = (request: ExampleRequest, target: Target) => void;

/** What a check expects of the response; throws a `ConformanceError` otherwise. */
export type Expectation = (received: Received) => void;

/** Makes a check of the operation at hand, at its own path unless told otherwise. */
export type MakeCheck = (title: string, change: Change, expect: Expectation, template?: string) => Check;

/**
 * The checks a document implies, by operation: authentication before anything else, HEAD, OPTIONS, 404, 405, 406, 413,
 * 415, deprecation headers (RFC 9110, RFC 6750, RFC 9745, RFC 8594), and that every obvious invalid input is a 400.
 */
export function conformanceChecks(document: OpenApiDocument, limits: Limits = {}): Check[] {
  return operationsOf(document).flatMap((entry) => checksOf(document, entry, limits));
}

function checksOf(document: OpenApiDocument, entry: OperationEntry, limits: Limits): Check[] {
  const judge = responseJudge(document, entry);
  const check: MakeCheck = (title, change, expect, template = entry.path) => ({
    operationId: entry.id,
    title,
    run: async (target) => {
      const request = exampleRequest(document, entry);
      Object.assign(request.headers, target.credentials?.(entry.id));
      change(request, target);
      try {
        const received = await exchange(target, template, request);
        expect(received);
        if (request.method !== "HEAD") await judge(received);
      } catch (error) {
        if (!(error instanceof ConformanceError)) throw error;
        throw new ConformanceError(`${entry.id}: ${title}: ${error.message}`);
      }
    },
  });
  return [
    check("a valid request is not refused", () => {}, accepted),
    ...authenticationChecks(document, entry, check),
    ...methodChecks(document, entry, check),
    ...contentChecks(document, entry, check, limits),
    ...deprecationChecks(entry, check),
    ...negativeInputs(document, entry).map(({ title, apply }) =>
      check(`400 for ${title}`, apply, (received) => expectStatus(received, 400)),
    ),
  ];
}
