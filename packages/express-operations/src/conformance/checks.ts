import { type OpenApiDocument, type OperationEntry, operationsOf } from "../document/document.ts";
import { PathRouter } from "../request/path-router.ts";
import { authenticationChecks } from "./authentication-checks.ts";
import { contentChecks } from "./content-checks.ts";
import { deprecationChecks } from "./deprecation-checks.ts";
import { type ExampleRequest, exampleRequest } from "./example-request.ts";
import { ConformanceError, exchange, expectAccepted, expectStatus, type Received, type Target } from "./exchange.ts";
import { methodChecks } from "./method-checks.ts";
import { negativeInputs } from "./negative-inputs.ts";
import { responseJudge } from "./response-judge.ts";

/** One thing a server that implements a document has to do. */
export interface Check {
  operationId: string;
  title: string;
  /** What the target may go without; then `run` checks nothing. */
  needs?: "lesserCredentials";
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

/** Makes checks of the operation at hand. */
export interface CheckMaker {
  /** The request stays valid: it is not refused, and its answer is a declared one. */
  accepted: (title: string, change?: Change, expect?: Expectation) => Check;
  /** The request is changed so that one of these statuses is due. */
  answered: (statuses: number[], title: string, change: Change, expect?: Expectation) => Check;
}

/** The methods of each declared path, upper case. */
export type DeclaredPaths = PathRouter<string[]>;

/**
 * The checks a document implies, by operation: declared answers, authentication before anything else, HEAD, OPTIONS, 404,
 * 405, 406, 413, 415, deprecation headers (RFC 9110, RFC 6750, RFC 9745, RFC 8594), and 400 for obvious invalid input.
 */
export function conformanceChecks(document: OpenApiDocument, limits: Limits = {}): Check[] {
  const entries = operationsOf(document).filter(({ method }) => method !== "trace"); // `fetch` sends none
  const paths: DeclaredPaths = new PathRouter();
  for (const { path, method } of entries) paths.route(path, () => []).push(method.toUpperCase());
  return entries.flatMap((entry) => {
    const check = checkMaker(document, entry);
    return [
      check.accepted("a valid request is not refused"),
      ...authenticationChecks(document, entry, check),
      ...methodChecks(document, entry, check, paths),
      ...contentChecks(document, entry, check, limits),
      ...deprecationChecks(entry, check),
      ...negativeInputs(document, entry).map(({ title, apply }) => check.answered([400], `400 for ${title}`, apply)),
    ];
  });
}

function checkMaker(document: OpenApiDocument, entry: OperationEntry): CheckMaker {
  const judge = responseJudge(document, entry);
  const make = (title: string, change: Change, isValid: boolean, expect: Expectation): Check => ({
    operationId: entry.id,
    title,
    run: async (target) => {
      const request = exampleRequest(document, entry, target.credentials?.(entry.id));
      change(request, target);
      const received = await exchange(target, request);
      try {
        expect(received);
        await judge(request, received, isValid);
      } catch (error) {
        if (!(error instanceof ConformanceError)) throw error;
        throw new ConformanceError(`${entry.id}: ${title}: ${error.message}`);
      }
    },
  });
  return {
    accepted: (title, change = () => {}, expect = () => {}) =>
      make(title, change, true, (received) => {
        expectAccepted(received);
        expect(received);
      }),
    answered: (statuses, title, change, expect = () => {}) =>
      make(title, change, false, (received) => {
        expectStatus(received, ...statuses);
        expect(received);
      }),
  };
}
