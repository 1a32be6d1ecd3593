import { isDeepStrictEqual } from "node:util";
import { stubsIn } from "@openapi-operations/service/stub";
import { conformanceChecks, exampleRequestMakers } from "express-operations/conformance";
import { findBrokenOperations } from "express-operations/schema-check";
import type { OpenApiDocument } from "openapi-document";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StartService, TestService } from "./test-service.ts";

/** The largest body that a service reads by default. */
const BODY_LIMIT = 65_536;

/** Requests to so many stubs are sent, since the validators of a large contract take a second each. */
const MOST_STUBS = 50;

/** The responses of a stub: to a valid request, where nothing validates credentials yet, and to an example that is not valid. */
const OF_STUBS = [501, 401, 400, 406, 412, 413, 415];

/**
 * Declares the tests that a service conforms to its contract. Operations that are stubs are counted, and skipped but for one
 * request, to which a stub responds with 501.
 */
export function testConformance(document: OpenApiDocument, handlers: object, startService: StartService): void {
  const stubs = new Set(stubsIn(handlers));
  const checks = conformanceChecks(document, { bodyLimit: BODY_LIMIT }).filter(
    ({ operationId }) => !stubs.has(operationId),
  );

  describe("the service conforms to its contract", () => {
    let service: TestService;
    let lesserCredentials: TestService["credentials"];
    beforeAll(async () => {
      service = await startService();
      lesserCredentials = await service.createLesserCredentials();
    });
    afterAll(() => service[Symbol.asyncDispose]());

    describe.each(Object.entries(Object.groupBy(checks, ({ operationId }) => operationId)))("%s", (_id, own = []) => {
      test.each(own)("$title", async ({ run, needs, operationId }) => {
        const { baseUrl, credentials } = service;
        if (needs !== undefined && isDeepStrictEqual(credentials(operationId), lesserCredentials(operationId))) return;
        await expect(run({ baseUrl, credentials, lesserCredentials })).resolves.toBeUndefined();
      });
    });

    if (stubs.size === 0) return;
    test("the operations without a handler of their own are stubs", async (context) => {
      const broken = new Set(findBrokenOperations(document).map(({ operationId }) => operationId));
      const makers = [...exampleRequestMakers(document)].filter(([id]) => stubs.has(id) && !broken.has(id));
      for (const [id, make] of makers.slice(0, MOST_STUBS)) {
        const example = exampleOf(make);
        if (example === undefined || /^(?:HEAD|TRACE)$/.test(example.method)) continue;
        const { method, target, headers, body } = example;
        const response = await service.request(target, { method, headers, ...(body && { body }) });
        expect(OF_STUBS, `${id}: ${await response.text()}`).toContain(response.status);
      }
      context.skip(`${stubs.size} of ${Object.keys(handlers).length} operations are stubs`);
    });
  });
}

/** Returns the example of an operation; undefined if its contract has none. */
function exampleOf<Example>(make: () => Example): Example | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
