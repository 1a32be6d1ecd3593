import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isOwnerOnly, isPosix } from "@platform/test-support/machine";
import { temporaryFolder } from "@platform/test-support/temporary";
import { expect, test } from "vitest";
import { createApiKey, findApiKey, listApiKeys, revokeApiKey, type ValidApiKey } from "../src/keys.repository.ts";
import { ensureQuickstartKey } from "../src/first-keys.ts";
import { type Database, temporaryDatabase } from "./tables.ts";

const scopes = ["things:read", "things:write"];

test("writes a valid key that only its owner can read, and no other file", async () => {
  const [db, file] = [await temporaryDatabase(), await temporaryFile()];
  expect(await ensureQuickstartKey(db, file, scopes)).toBe("written");
  expect(await keyIn(db, file)).toMatchObject({ name: "quickstart", scopes: ["*"] });
  expect(isOwnerOnly(file)).toBe(true);
  expect(await readdir(dirname(file))).toEqual(["quickstart.key"]);
});

test("keeps a valid key, and removes the read permission of others", async () => {
  const [db, file] = [await temporaryDatabase(), await temporaryFile()];
  await ensureQuickstartKey(db, file, scopes);
  const before = await readFile(file, "utf8");
  await chmod(file, 0o644);
  expect(await ensureQuickstartKey(db, file, scopes)).toBe("kept");
  expect(await readFile(file, "utf8")).toBe(before);
  expect(isOwnerOnly(file)).toBe(true);
  expect(await listApiKeys(db)).toHaveLength(1);
});

test("keeps a key with every current scope, and replaces it if a scope is added", async () => {
  const [db, file] = [await temporaryDatabase(), await temporaryFile()];
  await ensureQuickstartKey(db, file, scopes);
  const { key } = await createApiKey(db, { name: "earlier", environment: "development", scopes });
  await writeFile(file, key);
  expect(await ensureQuickstartKey(db, file, scopes)).toBe("kept");
  expect(await ensureQuickstartKey(db, file, [...scopes, "orders:write"])).toBe("written");
  expect(await ensureQuickstartKey(db, file, [...scopes, "orders:write"])).toBe("kept");
});

test("replaces a key that is unknown to this database or revoked", async () => {
  const [db, file] = [await temporaryDatabase(), await temporaryFile()];
  await ensureQuickstartKey(await temporaryDatabase(), file, scopes);
  await chmod(file, 0o644);
  expect(await ensureQuickstartKey(db, file, scopes)).toBe("written");
  expect(await keyIn(db, file)).toBeDefined();
  expect(isOwnerOnly(file)).toBe(true);

  await revokeApiKey(db, 1);
  expect(await ensureQuickstartKey(db, file, scopes)).toBe("written");
  expect(await keyIn(db, file)).toMatchObject({ id: 2 });
});

test("replaces a key without every scope, and text that is not a key", async () => {
  const [db, file] = [await temporaryDatabase(), await temporaryFile()];
  const { key } = await createApiKey(db, { name: "reader", environment: "development", scopes: ["things:read"] });
  await ensureQuickstartKey(db, file, scopes);
  for (const text of [key, "", "no key"]) {
    await writeFile(file, text);
    expect(await ensureQuickstartKey(db, file, scopes)).toBe("written");
    expect(await keyIn(db, file)).toMatchObject({ name: "quickstart" });
  }
});

test("names a file that cannot be used, and gives the remedy", async () => {
  const [db, file] = [await temporaryDatabase(), await temporaryFile()];
  await mkdir(file, { recursive: true });
  await expect(ensureQuickstartKey(db, file, scopes)).rejects.toThrow(
    `The quickstart key cannot be stored in ${file} (EISDIR). Make the path writable for this user, or remove the file or folder that blocks it.`,
  );
  await writeFile(`${file}.txt`, "");
  await expect(ensureQuickstartKey(db, `${file}.txt/quickstart.key`, scopes)).rejects.toThrow(
    isPosix ? "quickstart.key (ENOTDIR). Make" : "The quickstart key cannot be stored in",
  );
});

async function temporaryFile(): Promise<string> {
  return join(await temporaryFolder(), "data", "quickstart.key");
}

async function keyIn(db: Database, file: string): Promise<ValidApiKey | undefined> {
  return findApiKey(db, (await readFile(file, "utf8")).trim(), Date.now());
}
