import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { createApiKey, revokeApiKey } from "@platform/api-keys/keys.repository";
import { migrate } from "@platform/storage/migrations";
import { temporaryFolder, temporaryUrl } from "@platform/test-support/temporary";
import { expect, test } from "vitest";
import { MIGRATIONS } from "../../src/migrations.ts";
import { insertPet } from "../../src/resources/pets/pets.repository.ts";
import { run } from "../program.ts";
import { opened } from "../temporary.ts";

const WHO = `${userInfo().username}@${hostname()}`;
const HOUR = 60 * 60 * 1000;

/** A database in which a key was issued, has added an animal an hour from now, and was revoked. */
async function auditedUrl() {
  const url = await temporaryUrl();
  const db = opened(url);
  await migrate(db, MIGRATIONS);
  const { prefix } = await createApiKey(db, { name: "shop", environment: "production" });
  await revokeApiKey(db, 1);
  const rex = { name: "Rex", categoryId: 1, status: "sold" } as const;
  const createdAt = Date.now() + HOUR;
  await insertPet(db, { ...rex, createdBy: 1, createdAt });
  await db.destroy();
  return { url, prefix, createdAt: new Date(createdAt).toISOString() };
}

test("petstore audit shows who did what, in aligned columns or as JSON, never a key", async () => {
  const { url: DATABASE_URL, prefix, createdAt } = await auditedUrl();
  const { code, stdout, stderr } = await run(["audit"], { DATABASE_URL });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const time = expect.stringMatching(/^20.*Z$/) as string;
  const lines = stdout.trimEnd().split("\n");
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
    ["TIME", "WHO", "ACTION", "WHAT"],
    [time, WHO, "issue", `key 1, shop, ${prefix}…`],
    [time, WHO, "revoke", `key 1, shop, ${prefix}…`],
    [createdAt, `key 1, shop, ${prefix}…`, "createPet", "pet 1"],
  ]);
  const columns = ["ACTION", "issue", "revoke", "createPet"].map((action, row) => lines[row]?.indexOf(action));
  expect(new Set(columns).size).toBe(1);

  const json = JSON.parse((await run(["audit", "--json"], { DATABASE_URL })).stdout) as unknown;
  const key = { keyId: 1, keyName: "shop", keyPrefix: prefix };
  expect(json).toEqual([
    { at: time, action: "issue", ...key, actor: WHO },
    { at: time, action: "revoke", ...key, actor: WHO },
    { at: createdAt, action: "createPet", ...key, petId: 1 },
  ]);
});

test("petstore audit takes a key, a time and a limit, and says where it leaves something out", async () => {
  const { url: DATABASE_URL, createdAt } = await auditedUrl();
  const actions = async (...words: string[]) => {
    const { stdout } = await run(["audit", ...words], { DATABASE_URL });
    return stdout
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) => line.split(/ {2,}/)[2] ?? line);
  };
  expect(await actions("--key", "1", "--since", "1h")).toEqual(["issue", "revoke", "createPet"]);
  expect(await actions("--key", "2")).toEqual([]);
  expect(await actions("--since", createdAt)).toEqual(["createPet"]);
  expect(await actions("--limit", "3")).toEqual(["issue", "revoke", "createPet"]);
  expect(await actions("--limit", "2")).toEqual([
    "revoke",
    "createPet",
    "Only the latest 2 are shown. See more with a higher --limit.",
  ]);
});

test("petstore audit shows the latest 100 unless told otherwise, and says so", async () => {
  const DATABASE_URL = await temporaryUrl();
  const db = opened(DATABASE_URL);
  await migrate(db, MIGRATIONS);
  const entry = { action: "issue", key_name: "shop", key_prefix: "pst_", actor: WHO } as const;
  const entries = Array.from({ length: 101 }, (_, at) => ({ ...entry, key_id: at, at }));
  await db.insertInto("audit").values(entries).execute();
  const lines = (await run(["audit"], { DATABASE_URL })).stdout.trimEnd().split("\n");
  expect(lines.slice(1, -1).map((line) => Number(/key (\d+),/.exec(line)?.[1]))).toEqual(
    Array.from({ length: 100 }, (_, at) => at + 1),
  );
  expect(lines.at(-1)).toBe("Only the latest 100 are shown. See more with a higher --limit.");
});

test("petstore audit names a key that is not in the database any more as unknown", async () => {
  const DATABASE_URL = await temporaryUrl();
  const db = opened(DATABASE_URL);
  await migrate(db, MIGRATIONS);
  await insertPet(db, { name: "Rex", categoryId: 1, status: "sold", createdBy: 7, createdAt: 0 });
  const { stdout } = await run(["audit"], { DATABASE_URL });
  expect(stdout.split("\n")[1]?.split(/ {2,}/)).toEqual([
    "1970-01-01T00:00:00.000Z",
    "key 7, unknown, unknown…",
    "createPet",
    "pet 1",
  ]);
});

test.each([
  ["--key", "shop", "Give the number that `petstore keys list` shows."],
  ["--since", "yesterday", "Give a duration such as 24h or 7d, or a date or time such as 2026-12-05T09:30Z."],
  ["--since", "2026-13-01", "Give a duration such as 24h or 7d, or a date or time such as 2026-12-05T09:30Z."],
  ["--limit", "0", "Give a whole number from 1 to 999999."],
])("petstore audit refuses %s %s and says what to give", async (option, value, remedy) => {
  const { code, stdout, stderr } = await run(["audit", option, value], { DATABASE_URL: await temporaryUrl() });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(option);
  expect(stderr).toContain(remedy);
});

test("a backup that is restored shows the same audit", async () => {
  const { url: DATABASE_URL } = await auditedUrl();
  const folder = await temporaryFolder();
  const { stdout } = await run(["audit", "--json"], { DATABASE_URL });
  const restored = { DATABASE_URL: `file:${join(folder, "restored.db")}` };
  expect((await run(["backup", join(folder, "backup.db")], { DATABASE_URL })).code).toBe(0);
  expect((await run(["restore", join(folder, "backup.db"), "--force"], restored)).code).toBe(0);
  expect(await run(["audit", "--json"], restored)).toEqual({ code: 0, stdout, stderr: "" });
});
