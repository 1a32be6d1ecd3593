import { existsSync } from "node:fs";
import { join } from "node:path";
import { listAudit } from "@platform/api-keys/audit.repository";
import { idempotent } from "@platform/api-keys/idempotent";
import { createApiKey, findApiKey, listApiKeys, revokeApiKey } from "@platform/api-keys/keys.repository";
import { type CopiedTable } from "@platform/storage/copy";
import { migrate } from "@platform/storage/migrations";
import { temporaryFolder, temporaryUrl } from "@platform/test-support/temporary";
import { expect, inject, test } from "vitest";
import { MIGRATIONS } from "../../src/migrations.ts";
import { TABLES } from "../../src/registrations.ts";
import { insertPet, listPets } from "../../src/resources/pets/pets.repository.ts";
import { ENTRY, run } from "../program.ts";
import { creation, type Database, opened } from "../temporary.ts";

const REX = { name: "Rex", categoryId: 1, status: "available" } as const;

const file = async () => `file:${join(await temporaryFolder(), "petstore.db")}`;

test("petstore copy copies animals, keys, the audit trail and stored responses, and prints their numbers", async () => {
  const [fromUrl, toUrl] = [await file(), await temporaryUrl()];
  const [from, to] = [opened(fromUrl), opened(toUrl)];
  const key = await fill(from);
  const { stdout } = await run(["copy", "--from", fromUrl, "--to", toUrl, "--json"], {});
  const filled = (JSON.parse(stdout) as CopiedTable[]).filter(({ rows }) => rows > 0);
  expect(filled.map(({ table, rows }) => [table, rows])).toEqual([
    ["pets", 3],
    ["api_keys", 2],
    ["audit", 3],
    ["idempotency_keys", 3],
  ]);
  expect(await listPets(to, { limit: 10 })).toEqual(await listPets(from, { limit: 10 }));
  expect(await listApiKeys(to)).toEqual(await listApiKeys(from));
  expect(await listAudit(to, TABLES)).toEqual(await listAudit(from, TABLES));
  expect(await listAudit(to, TABLES)).toContainEqual(
    expect.objectContaining({ at: 3, action: "createPet", keyName: "ci" }),
  );
  expect(await findApiKey(to, key, Date.now())).toMatchObject({ id: 1 });
  expect(await insertPet(to, REX)).toMatchObject({ id: 5 }); // 4 was given and deleted
});

test("petstore copy rejects a target that holds rows, and never prints a password", async () => {
  const [from, to] = [await file(), await temporaryUrl()];
  await fill(opened(from));
  await fill(opened(to));
  expect(await run(["copy", "--from", from, "--to", to], {})).toEqual({
    code: 1,
    stdout: "",
    stderr: "The database to copy to already holds rows in pets. Copy to an empty one.\n",
  });
});

test.each(["postgres://root:hunter2@localhost", "mysql://root:hunter2@localhost/p"])(
  "petstore copy rejects %s without printing it",
  async (url) => {
    expect(await run(["copy", "--from", `file:${ENTRY}`, "--to", url], {})).toEqual({
      code: 2,
      stdout: "",
      stderr:
        "error: option '--to <url>' argument is invalid. Give it as file:data/petstore.db or " +
        "postgres://user:password@host:5432/petstore.\nAdd --help to see the usage.\n",
    });
  },
);

test("petstore copy creates no database if there is none to copy from", async () => {
  const from = await file();
  expect(await run(["copy", "--from", from, "--to", inject("postgresUrl")!], {})).toEqual({
    code: 1,
    stdout: "",
    stderr: "There is no database at the path that --from names.\n",
  });
  expect(existsSync(from.slice("file:".length))).toBe(false);
});

/** Adds animals with a key, keys in each state, and stored responses. Returns the key. */
async function fill(db: Database): Promise<string> {
  await migrate(db, MIGRATIONS);
  const { key } = await createApiKey(db, { name: "ci", environment: "production" });
  await createApiKey(db, { name: "revoked 🐕", environment: "staging", expiresAt: Date.now() });
  await revokeApiKey(db, 2);
  for (const name of ["a", "B", "_"]) {
    await idempotent(creation(db, 1, name), async (trx) => ({
      status: 201,
      body: await insertPet(trx, { ...REX, createdBy: 1, createdAt: 3 }),
    }));
  }
  const { id } = await insertPet(db, REX);
  await db.deleteFrom("pets").where("id", "=", id).execute();
  return key;
}
