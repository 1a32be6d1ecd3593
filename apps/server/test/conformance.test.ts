import { document } from "@petstore/contract/document";
import { conformanceChecks } from "express-operations/conformance";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startService, type TestService } from "./service.ts";

const checks = conformanceChecks(document, { bodyLimit: 65_536 });

describe.each(Object.entries(Object.groupBy(checks, ({ operationId }) => operationId)))(
  "%s conforms",
  (_operationId, own = []) => {
    let service: TestService;
    beforeAll(async () => void (service = await startService()));
    afterAll(() => service[Symbol.asyncDispose]());

    test.each(own)("$title", async ({ run }) => {
      const target = { baseUrl: service.baseUrl, credentials: () => ({ Authorization: `Bearer ${service.key}` }) };
      await expect(run(target)).resolves.toBeUndefined();
    });
  },
);
