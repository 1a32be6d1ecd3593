import { readFile } from "node:fs/promises";
import { migrate } from "@openapi-operations/storage/migrations";
import { temporaryUrl } from "@openapi-operations/storage/testing";
import { expect, test } from "vitest";
import { prefixOfApiKey } from "../src/api-key.ts";
import { createApiKey } from "../src/keys.repository.ts";
import { MIGRATIONS, opened } from "./tables.ts";

test("createApiKey writes no part of the secret to the files of the database", async () => {
  const url = await temporaryUrl();
  const db = opened(url);
  await migrate(db, MIGRATIONS);
  const { key } = await createApiKey(db, { name: "ci", environment: "development" });
  const path = url.slice("file:".length);
  const text = (await readFile(path, "latin1")) + (await readFile(`${path}-wal`, "latin1"));
  const prefix = prefixOfApiKey(key);
  expect(text).toContain(prefix);
  for (let at = prefix.length; at < key.length - 8; at++) expect(text).not.toContain(key.slice(at, at + 8));
});
