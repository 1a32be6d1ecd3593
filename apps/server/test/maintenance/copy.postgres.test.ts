import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { type CopiedTable, copyDatabase } from "../../src/maintenance/copy.ts";
import { DatabaseError } from "../../src/database/database.errors.ts";
import type { Database } from "../../src/database/database.ts";
import { once } from "../../src/idempotency/idempotency.repository.ts";
import { listAudit } from "../../src/keys/audit.repository.ts";
import { createApiKey, findApiKey, listApiKeys, revokeApiKey } from "../../src/keys/keys.repository.ts";
import { migrate } from "../../src/database/migrations.ts";
import { insertPet, listPets } from "../../src/pets/pets.repository.ts";
import { ENTRY, run } from "../program.ts";
import { opened, temporaryFolder, temporaryUrl } from "../temporary.ts";

const REX = { name: "Rex", categoryId: 1, status: "available" } as const;

const file = async () => `file:${join(await temporaryFolder(), "petstore.db")}`;

test.each([
  ["SQLite to PostgreSQL", file, temporaryUrl],
  ["PostgreSQL to SQLite", temporaryUrl, file],
  ["PostgreSQL to PostgreSQL", temporaryUrl, temporaryUrl],
])("%s: everything is there, with its id, and works as before", async (_title, fromUrl, toUrl) => {
  const [from, to] = [opened(await fromUrl()), opened(await toUrl())];
  const { key, request } = await fill(from);
  const copied = await copyDatabase(from, to);
  expect(copied.filter(({ rows }) => rows > 0)).toEqual([
    { table: "pets", rows: 2_503, checksum: expect.stringMatching(/^[0-9a-f]{64}$/) },
    { table: "api_keys", rows: 2, checksum: expect.any(String) },
    { table: "audit", rows: 3, checksum: expect.any(String) },
    { table: "idempotency_keys", rows: 3, checksum: expect.any(String) },
  ]);
  expect(await listPets(to, { limit: 10_000 })).toEqual(await listPets(from, { limit: 10_000 }));
  expect(await listApiKeys(to)).toEqual(await listApiKeys(from));
  expect(await listAudit(to)).toEqual(await listAudit(from));
  expect(await listAudit(to)).toContainEqual(expect.objectContaining({ at: 3, action: "createPet", keyName: "ci" }));
  expect(await findApiKey(to, key, Date.now())).toMatchObject({ id: 1 });

  const again = await once(
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

test("a database that holds something is not copied to, and stays as it is", async () => {
  const [from, to] = [opened(await file()), opened(await temporaryUrl())];
  await fill(from);
  await migrate(to);
  await createApiKey(to, { name: "theirs", environment: "development" });
  await expect(copyDatabase(from, to)).rejects.toThrow(
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
  await migrate(db);
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
    await once(
      (work) => db.transaction().execute(work),
      { ...request, key: name },
      (trx) => insertPet(trx, { ...REX, createdBy: 1, createdAt: 3 }),
    );
  }
  const { id } = await insertPet(db, REX);
  await db.deleteFrom("pets").where("id", "in", [id, 1]).execute();
  return { key, request };
}
