import type { OpenApiDocument, OperationEntry } from "../document/document.ts";
import { type ExampleRequest, exampleRequest } from "./example-request.ts";
import { ConformanceError, exchange, expectAccepted, expectStatus, type Received, type Target } from "./exchange.ts";
import { responseAssertion } from "./response-assertion.ts";

/** One thing a server that implements a document has to do. */
export interface Check {
  operationId: string;
  title: string;
  /** What the target may go without; then `run` checks nothing. */
  needs?: "lesserCredentials";
  /** Rejects with a `ConformanceError` when the server does not. */
  run: (target: Target) => Promise<void>;
}

/** What a check does to a valid request before it is sent. */
export type Change = (request: ExampleRequest, target: Target) => void;

/** What a check expects of the response; throws a `ConformanceError` otherwise. */
export type Expectation = (received: Received) => void;

/** Makes checks of the operation at hand. */
export interface CheckMaker {
  /** The request stays valid: it is not refused, and its answer is a declared one. */
  accepts: (title: string, change?: Change, expect?: Expectation) => Check;
  /** The request is changed so that one of these statuses is due. */
  responds: (statuses: number[], title: string, change: Change, expect?: Expectation) => Check;
}

/** Returns the maker of checks of one operation. */
export function checkMaker(document: OpenApiDocument, entry: OperationEntry): CheckMaker {
  const assertResponse = responseAssertion(document, entry);
  const make = (title: string, change: Change, isValid: boolean, expect: Expectation): Check => ({
    operationId: entry.id,
    title,
    run: async (target) => {
      const request = exampleRequest(document, entry, target.credentials?.(entry.id));
      change(request, target);
      const received = await exchange(target, request);
      try {
        expect(received);
        await assertResponse(request, received, isValid);
      } catch (error) {
        if (!(error instanceof ConformanceError)) throw error;
        throw new ConformanceError(`${entry.id}: ${title}: ${error.message}`);
      }
    },
  });
  return {
    accepts: (title, change = () => {}, expect = () => {}) =>
      make(title, change, true, (received) => {
        expectAccepted(received);
        expect(received);
      }),
    responds: (statuses, title, change, expect = () => {}) =>
      make(title, change, false, (received) => {
        expectStatus(received, ...statuses);
        expect(received);
      }),
  };
}
