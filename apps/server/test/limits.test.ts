import { document } from "@petstore/contract/document";
import { openDatabase } from "@openapi-operations/storage/database";
import { exampleRequests } from "express-operations/conformance";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError, startService, type TestService } from "./petstore.ts";

const operations = exampleRequests(document);
const send = (to: TestService, { method, target, headers, body }: (typeof operations)[number]) =>
  to.request(target, { method, headers, ...(body && { body }) });

describe("429: the key has no request left", () => {
  let limited: TestService;
  beforeAll(async () => {
    limited = await startService({ RATE_LIMIT: "1/600" });
    await limited.request("/pets");
  });
  afterAll(() => limited[Symbol.asyncDispose]());

  test.each(operations)("$operationId", async (operation) => {
    const response = await send(limited, operation);
    expect(response.headers.get("RateLimit-Policy")).toBe('"default";q=1;w=600');
    expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(400);
    await expectError(response, 429, "rate_limited");
  });
});

describe("503: the keys cannot be read", () => {
  let broken: TestService;
  beforeAll(async () => {
    broken = await startService();
    const db = openDatabase(broken.databaseUrl);
    await db.schema.alterTable("api_keys").renameTo("taken").execute();
    await db.destroy();
  });
  afterAll(() => broken[Symbol.asyncDispose]());

  test.each(operations)("$operationId", async (operation) => {
    const response = await send(broken, operation);
    expect(response.headers.get("Retry-After")).toBe("1");
    await expectError(response, 503, "unavailable");
  });
});
