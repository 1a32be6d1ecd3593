import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Pet } from "@petstore/contract";
import { listAudit } from "@platform/api-keys/audit.repository";
import { createApiKey, findApiKey, listApiKeys, revokeApiKey } from "@platform/api-keys/keys.repository";
import { type CopiedTable, copyDatabase } from "@platform/storage/copy";
import { DatabaseError } from "@platform/storage/database-error";
import { once } from "@platform/storage/idempotency.repository";
import { migrate } from "@platform/storage/migrations";
import { isPostgresUrl } from "@platform/storage/url";
import { temporaryFolder, temporaryUrl } from "@platform/test-support/temporary";
import { sql } from "kysely";
import { expect, inject, test } from "vitest";
import { MIGRATIONS } from "../../src/migrations.ts";
import { TABLES, type Tables } from "../../src/registrations.ts";
import { insertPet, listPets } from "../../src/resources/pets/pets.repository.ts";
import { ENTRY, run } from "../program.ts";
import { type Database, opened, SCHEMA } from "../temporary.ts";
import { actingAtInsert, all, writeToEach } from "./during-copy.ts";

const REX = { name: "Rex", categoryId: 1, status: "available" } as const;

const file = async () => `file:${join(await temporaryFolder(), "petstore.db")}`;

test.each([
  ["SQLite to PostgreSQL", file, temporaryUrl],
  ["PostgreSQL to SQLite", temporaryUrl, file],
  ["PostgreSQL to PostgreSQL", temporaryUrl, temporaryUrl],
])("%s: everything is there, with its id, and works as before", async (_title, fromUrl, toUrl) => {
  const [from, to] = [opened(await fromUrl()), opened(await toUrl())];
  const { key, request } = await fill(from);
  const copied = await copyDatabase(from, to, SCHEMA);
  expect(copied.filter(({ rows }) => rows > 0)).toEqual([
    { table: "pets", rows: 2_503, checksum: expect.stringMatching(/^[0-9a-f]{64}$/) },
    { table: "api_keys", rows: 2, checksum: expect.any(String) },
    { table: "audit", rows: 3, checksum: expect.any(String) },
    { table: "idempotency_keys", rows: 3, checksum: expect.any(String) },
  ]);
  expect(await listPets(to, { limit: 10_000 })).toEqual(await listPets(from, { limit: 10_000 }));
  expect(await listApiKeys(to)).toEqual(await listApiKeys(from));
  expect(await listAudit(to, TABLES)).toEqual(await listAudit(from, TABLES));
  expect(await listAudit(to, TABLES)).toContainEqual(
    expect.objectContaining({ at: 3, action: "createPet", keyName: "ci" }),
  );
  expect(await findApiKey(to, key, Date.now())).toMatchObject({ id: 1 });

  const again = await once<Tables, Pet>(
    (work) => to.transaction().execute(work),
    request,
    (trx) => insertPet(trx, REX),
  );
  expect(again).toMatchObject({ outcome: "replayed" });
  const [lastOfAll] = await from
    .selectFrom("pets")
    .select((select) => select.fn.max("id").as("id"))
    .execute();
  expect((await insertPet(to, REX)).id).toBe(lastOfAll!.id + 2); // the last of all but one was deleted in `fill`
});

test.each([
  ["SQLite to PostgreSQL", file, temporaryUrl],
  ["PostgreSQL to SQLite", temporaryUrl, file],
  ["PostgreSQL to PostgreSQL", temporaryUrl, temporaryUrl],
])("%s: nobody can write to any table of either meanwhile, and anybody after", async (_title, fromUrl, toUrl) => {
  const urls = [await fromUrl(), await toUrl()] as const;
  const [from, to] = [opened(urls[0]), opened(urls[1])];
  await migrate(from, MIGRATIONS);
  const pet = await insertPet(from, REX);
  const refused = urls.map((url) => all(isPostgresUrl(url) ? "55P03" : "SQLITE_BUSY"));
  const during: Record<string, string>[] = [];
  const copied = await copyDatabase(
    from,
    actingAtInsert(to, "pets", async () => {
      for (const url of urls) during.push(await writeToEach(url));
    }),
    SCHEMA,
  );
  expect(during).toEqual(refused);
  expect(copied[0]).toMatchObject({ table: "pets", rows: 1 });
  expect(await listPets(to, { limit: 10 })).toEqual([pet]);
  for (const url of urls) expect(await writeToEach(url)).toEqual(all("written"));
});

test("PostgreSQL lets others read while it is copied", async () => {
  const [fromUrl, toUrl] = [await temporaryUrl(), await temporaryUrl()];
  const [from, to] = [opened(fromUrl), opened(toUrl)];
  await migrate(from, MIGRATIONS);
  const pet = await insertPet(from, REX);
  const read: unknown[] = [];
  await copyDatabase(
    from,
    actingAtInsert(to, "pets", async () => {
      for (const url of [fromUrl, toUrl]) read.push(await listPets(opened(`${url}?lock_timeout=50`), { limit: 10 }));
    }),
    SCHEMA,
  );
  expect(read).toEqual([[pet], []]);
});

test("a copy may take longer than the server lets a transaction wait", async () => {
  const [fromUrl, toUrl] = [await temporaryUrl(), await temporaryUrl()];
  const [from, to] = [fromUrl, toUrl].map((url) => opened(`${url}?idle_in_transaction_session_timeout=750`));
  await migrate(from!, MIGRATIONS);
  await insertPet(from!, REX);
  const waiting = actingAtInsert(
    to!,
    "pets",
    async () => void (await sql`select pg_sleep(1.5)`.execute(opened(toUrl))),
  );
  expect((await copyDatabase(from!, waiting, SCHEMA))[0]).toMatchObject({ table: "pets", rows: 1 });
});

test("a database that holds something is not copied to, and stays as it is", async () => {
  const [from, to] = [opened(await file()), opened(await temporaryUrl())];
  await fill(from);
  await migrate(to, MIGRATIONS);
  await createApiKey(to, { name: "theirs", environment: "development" });
  await expect(copyDatabase(from, to, SCHEMA)).rejects.toThrow(
    new DatabaseError("The database to copy to already holds rows in api_keys. Copy to an empty one."),
  );
  expect(await listPets(to, { limit: 10 })).toEqual([]);
});

test("petstore copy prints what it copied, and never a password", async () => {
  const [from, to] = [await file(), await temporaryUrl()];
  await fill(opened(from));
  const { stdout } = await run(["copy", "--from", from, "--to", to, "--json"], {});
  const filled = (JSON.parse(stdout) as CopiedTable[]).filter(({ rows }) => rows > 0);
  expect(filled.map(({ table, rows }) => [table, rows])).toEqual([
    ["pets", 2_503],
    ["api_keys", 2],
    ["audit", 3],
    ["idempotency_keys", 3],
  ]);
  expect(await run(["copy", "--from", from, "--to", to], {})).toEqual({
    code: 1,
    stdout: "",
    stderr: "The database to copy to already holds rows in pets. Copy to an empty one.\n",
  });
});

test.each(["postgres://root:hunter2@localhost", "mysql://root:hunter2@localhost/p"])(
  "petstore copy refuses %s without repeating it",
  async (url) => {
    expect(await run(["copy", "--from", `file:${ENTRY}`, "--to", url], {})).toEqual({
      code: 1,
      stdout: "",
      stderr: "Give --from and --to as file:data/petstore.db or postgres://user:password@host:5432/petstore.\n",
    });
  },
);

test("petstore copy makes no database where there is none to copy from", async () => {
  const from = await file();
  expect(await run(["copy", "--from", from, "--to", inject("postgresUrl")!], {})).toEqual({
    code: 1,
    stdout: "",
    stderr: "There is no database at the path that --from names.\n",
  });
  expect(existsSync(from.slice("file:".length))).toBe(false);
});

/** More animals than are copied at once, names of all sorts, keys in each state, and answers kept. */
async function fill(db: Database) {
  await migrate(db, MIGRATIONS);
  const { key } = await createApiKey(db, { name: "ci", environment: "production" });
  await createApiKey(db, { name: "revoked 🐕", environment: "staging", expiresAt: Date.now() });
  await revokeApiKey(db, 2);
  const status = ["available", "pending", "sold"] as const;
  const pets = Array.from({ length: 2_501 }, (_, n) => ({
    name: `'é🐕\\" ${n}`,
    category_id: n % 2 === 0 ? Number.MAX_SAFE_INTEGER - n : -n,
    status: status[n % 3]!,
  }));
  for (let at = 0; at < pets.length; at += 500)
    await db
      .insertInto("pets")
      .values(pets.slice(at, at + 500))
      .execute();
  const request = { apiKeyId: 1, key: "a", requestHash: "h", now: Date.now() };
  for (const name of ["a", "B", "_"]) {
    await once<Tables, Pet>(
      (work) => db.transaction().execute(work),
      { ...request, key: name },
      (trx) => insertPet(trx, { ...REX, createdBy: 1, createdAt: 3 }),
    );
  }
  const { id } = await insertPet(db, REX);
  await db.deleteFrom("pets").where("id", "in", [id, 1]).execute();
  return { key, request };
}
