import { document } from "@petstore/contract/document";
import { createApiKey } from "@platform/api-keys/keys.repository";
import { openDatabase } from "@platform/storage/database";
import { conformanceChecks, exampleRequests, type Target } from "express-operations/conformance";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError, startService, type TestService } from "../testing/service.ts";

const checks = conformanceChecks(document, { bodyLimit: 65_536 });

describe.each(Object.entries(Object.groupBy(checks, ({ operationId }) => operationId)))(
  "%s conforms",
  (_operationId, own = []) => {
    let service: TestService;
    let target: Target;
    beforeAll(async () => {
      service = await startService();
      const lesserKey = await keyWithoutScopes(service);
      const bearing = (key: string) => () => ({ headers: { Authorization: `Bearer ${key}` } });
      target = {
        baseUrl: service.baseUrl,
        credentials: bearing(service.key),
        lesserCredentials: bearing(lesserKey),
      };
    });
    afterAll(() => service[Symbol.asyncDispose]());

    test.each(own)("$title", async ({ run }) => {
      await expect(run(target)).resolves.toBeUndefined();
    });
  },
);

describe.each(exampleRequests(document))("$operationId", ({ method, target, headers, body }) => {
  const request = (service: TestService) => service.request(target, { method, headers, ...(body && { body }) });

  test("429: the key has no request left", async () => {
    await using service = await startService({ RATE_LIMIT: "1/600" });
    await service.request("/pets");
    const response = await request(service);
    expect(response.headers.get("RateLimit-Policy")).toBe('"default";q=1;w=600');
    expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(500);
    await expectError(response, 429, "rate_limited");
  });

  test("503: the keys cannot be read", async () => {
    await using service = await startService();
    const db = openDatabase(service.databaseUrl);
    await db.schema.alterTable("api_keys").renameTo("taken").execute();
    await db.destroy();
    const response = await request(service);
    expect(response.headers.get("Retry-After")).toBe("1");
    await expectError(response, 503, "unavailable");
  });
});

async function keyWithoutScopes({ databaseUrl }: TestService): Promise<string> {
  const db = openDatabase(databaseUrl);
  try {
    const { key } = await createApiKey(db, { name: "without scopes", environment: "development", scopes: [] });
    return key;
  } finally {
    await db.destroy();
  }
}
