import { hostname, userInfo } from "node:os";
import { SERVICE } from "@openapi-operations/command-line/name";
import { migrate } from "@openapi-operations/storage/migrations";
import { temporaryUrl } from "@openapi-operations/storage/testing";
import { expect, test } from "vitest";
import { createApiKey, revokeApiKey } from "../src/keys.repository.ts";
import { run } from "./command-line.ts";
import { MIGRATIONS, opened } from "./tables.ts";

const WHO = `${userInfo().username}@${hostname()}`;
const HOUR = 60 * 60 * 1000;

/** Returns a database with a key that was issued and revoked, and a thing that the key added, dated an hour from now. */
async function auditedUrl() {
  const url = await temporaryUrl();
  const db = opened(url);
  await migrate(db, MIGRATIONS);
  const { prefix } = await createApiKey(db, { name: "shop", environment: "production" });
  await revokeApiKey(db, 1);
  const createdAt = Date.now() + HOUR;
  await db.insertInto("things").values({ created_by: 1, created_at: createdAt }).execute();
  await db.destroy();
  return { url, prefix, createdAt: new Date(createdAt).toISOString() };
}

test("audit prints actors and actions in aligned columns or as JSON, never a key", async () => {
  const { url, prefix, createdAt } = await auditedUrl();
  const { code, stdout, stderr } = await run(["audit"], url);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const time = expect.stringMatching(/^20.*Z$/) as string;
  const lines = stdout.trimEnd().split("\n");
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
    ["TIME", "WHO", "ACTION", "WHAT"],
    [time, WHO, "issue", `key 1, shop, ${prefix}…`],
    [time, WHO, "revoke", `key 1, shop, ${prefix}…`],
    [createdAt, `key 1, shop, ${prefix}…`, "createThing", "thing 1"],
  ]);
  const columns = ["ACTION", "issue", "revoke", "createThing"].map((action, row) => lines[row]?.indexOf(action));
  expect(new Set(columns).size).toBe(1);

  const json = JSON.parse((await run(["audit", "--json"], url)).stdout) as unknown;
  const key = { keyId: 1, keyName: "shop", keyPrefix: prefix };
  expect(json).toEqual([
    { at: time, action: "issue", ...key, actor: WHO },
    { at: time, action: "revoke", ...key, actor: WHO },
    { at: createdAt, action: "createThing", ...key, thingId: 1 },
  ]);
});

test("audit filters by key, time and limit, and prints whether entries are left out", async () => {
  const { url, createdAt } = await auditedUrl();
  const actions = async (...words: string[]) => {
    const { stdout } = await run(["audit", ...words], url);
    return stdout
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) => line.split(/ {2,}/)[2] ?? line);
  };
  expect(await actions("--key", "1", "--since", "1h")).toEqual(["issue", "revoke", "createThing"]);
  expect(await actions("--key", "2")).toEqual([]);
  expect(await actions("--since", createdAt)).toEqual(["createThing"]);
  expect(await actions("--limit", "3")).toEqual(["issue", "revoke", "createThing"]);
  expect(await actions("--limit", "2")).toEqual([
    "revoke",
    "createThing",
    "Only the latest 2 are shown. See more with a higher --limit.",
  ]);
});

test("audit prints the latest 100 entries by default, and the limit", async () => {
  const url = await temporaryUrl();
  const db = opened(url);
  await migrate(db, MIGRATIONS);
  const entry = { action: "issue", key_name: "shop", key_prefix: "pst_", actor: WHO } as const;
  const entries = Array.from({ length: 101 }, (_, at) => ({ ...entry, key_id: at, at }));
  await db.insertInto("audit").values(entries).execute();
  const lines = (await run(["audit"], url)).stdout.trimEnd().split("\n");
  expect(lines.slice(1, -1).map((line) => Number(/key (\d+),/.exec(line)?.[1]))).toEqual(
    Array.from({ length: 100 }, (_, at) => at + 1),
  );
  expect(lines.at(-1)).toBe("Only the latest 100 are shown. See more with a higher --limit.");
});

test("audit prints unknown for a key that is not in the database", async () => {
  const url = await temporaryUrl();
  const db = opened(url);
  await migrate(db, MIGRATIONS);
  await db.insertInto("things").values({ created_by: 7, created_at: 0 }).execute();
  const { stdout } = await run(["audit"], url);
  expect(stdout.split("\n")[1]?.split(/ {2,}/)).toEqual([
    "1970-01-01T00:00:00.000Z",
    "key 7, unknown, unknown…",
    "createThing",
    "thing 1",
  ]);
});

test.each([
  ["--key", "shop", `Give the number that \`${SERVICE.name} keys list\` shows.`],
  ["--since", "yesterday", "Give a duration such as 24h or 7d, or a date or time such as 2026-12-05T09:30Z."],
  ["--since", "2026-13-01", "Give a duration such as 24h or 7d, or a date or time such as 2026-12-05T09:30Z."],
  ["--limit", "0", "Give a whole number of at least 1."],
])("audit rejects %s %s and gives the remedy", async (option, value, remedy) => {
  const { code, stdout, stderr } = await run(["audit", option, value], await temporaryUrl());
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(option);
  expect(stderr).toContain(remedy);
});
