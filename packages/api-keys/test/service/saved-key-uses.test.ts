import { createApiKey, listApiKeys } from "../../src/keys.repository.ts";
import { temporaryFolder, temporaryUrl } from "@platform/test-support/temporary";
import { expect, test } from "vitest";
import { startProgram } from "./start.ts";
import { opened } from "../tables.ts";

test("a server saves the uses of its keys when it is stopped", async () => {
  const DATABASE_URL = await temporaryUrl();
  const { baseUrl, stop } = await startProgram(await temporaryFolder(), { DATABASE_URL, THINGS_ENV: "production" });
  const db = opened(DATABASE_URL);
  const { key } = await createApiKey(db, { name: "shop", environment: "production" });
  const before = Date.now();
  await fetch(`${baseUrl}/things`, { headers: { Authorization: `Bearer ${key}` } });
  expect(await stop()).toBe(0);
  expect((await listApiKeys(db))[0]?.lastUsedAt).toBeGreaterThanOrEqual(before);
});
