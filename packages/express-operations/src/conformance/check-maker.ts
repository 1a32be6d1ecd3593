import type { OpenApiDocument, OperationEntry } from "openapi-document";
import { type ExampleRequest, exampleRequest } from "./example-request.ts";
import { ConformanceError, exchange, expectAccepted, expectStatus, type Received, type Target } from "./exchange.ts";
import { responseAssertion } from "./response-assertion.ts";

/** A check of one requirement on an operation. */
export interface Check {
  operationId: string;
  title: string;
  /** The optional setting of the target that the check needs. Without it, `run` checks nothing. */
  needs?: "lesserCredentials";
  /** Rejects with a `ConformanceError` if the server does not meet the requirement. */
  run: (target: Target) => Promise<void>;
}

/** Changes a valid request before it is sent. */
export type Change = (request: ExampleRequest, target: Target) => void;

/** Throws a `ConformanceError` if the response is not as expected. */
export type Expectation = (received: Received) => void;

/** An operation, and what makes its checks. */
export interface Checked {
  document: OpenApiDocument;
  entry: OperationEntry;
  /** Expects the server to accept a changed request that is still valid, and to send a declared response. */
  accepts: (title: string, change?: Change, expect?: Expectation) => Check;
  /** Expects one of the statuses for a changed request. */
  responds: (statuses: number[], title: string, change: Change, expect?: Expectation) => Check;
  /** Runs a check that makes its own requests, each from a new valid one. */
  runs: (title: string, run: (target: Target, valid: () => ExampleRequest) => Promise<void>) => Check;
}

export function checked(document: OpenApiDocument, entry: OperationEntry): Checked {
  const assertResponse = responseAssertion(document, entry);
  const runs: Checked["runs"] = (title, run) => ({
    operationId: entry.id,
    title,
    run: async (target) => {
      try {
        await run(target, () => exampleRequest(document, entry, target.credentials?.(entry.id)));
      } catch (error) {
        if (!(error instanceof ConformanceError)) throw error;
        throw new ConformanceError(`${entry.id}: ${title}: ${error.message}`);
      }
    },
  });
  const make = (title: string, change: Change, isValid: boolean, expect: Expectation): Check =>
    runs(title, async (target, valid) => {
      const request = valid();
      change(request, target);
      const received = await exchange(target, request);
      expect(received);
      await assertResponse(request, received, isValid);
    });
  return {
    document,
    entry,
    runs,
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
