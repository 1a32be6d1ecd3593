import { document } from "@petstore/contract/document";
import { conformanceChecks, type Target } from "express-operations/conformance";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../src/database/database.ts";
import { createApiKey } from "../src/keys/keys.repository.ts";
import { startService, type TestService } from "./service.ts";

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

async function keyWithoutScopes({ databaseUrl }: TestService): Promise<string> {
  const db = openDatabase(databaseUrl);
  try {
    const { key } = await createApiKey(db, { name: "without scopes", environment: "development", scopes: [] });
    return key;
  } finally {
    await db.destroy();
  }
}
