import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { listAudit } from "@openapi-operations/api-keys/audit.repository";
import { idempotent } from "@openapi-operations/api-keys/idempotent";
import { createApiKey, findApiKey, listApiKeys, revokeApiKey } from "@openapi-operations/api-keys/keys.repository";
import type { CopiedTable } from "@openapi-operations/storage/copy";
import { migrate } from "@openapi-operations/storage/migrations";
import { execute } from "@platform/test-support/postgres";
import { temporaryFolder } from "@platform/test-support/temporary";
import { type Kysely, sql } from "kysely";
import { describe, expect, inject, test } from "vitest";
import { examine } from "@openapi-operations/api-keys/doctor";
import { temporaryUrl } from "@openapi-operations/storage/testing";
import { DEFINITION } from "../src/definition.ts";
import { MIGRATIONS } from "../src/migrations.ts";
import { TABLES } from "../src/registrations.ts";
import { insertPet, listPets } from "../src/resources/pets/pets.repository.ts";
import { ENTRY, run } from "./program.ts";
import { creation, type Database, opened } from "./temporary.ts";

describe("the program", () => {
  /** When an idle connection ends, unless the command closes it. */
  const IDLE_MS = 10_000;

  test.each([[["migrate"]], [["keys", "list"]]])(
    "%j closes its connection to PostgreSQL, and so ends at once",
    async (words) => {
      const DATABASE_URL = await temporaryUrl();
      await run(["migrate"], { DATABASE_URL });
      const began = performance.now();
      expect(await run(words, { DATABASE_URL })).toMatchObject({ code: 0, stderr: "" });
      expect(performance.now() - began).toBeLessThan(IDLE_MS);
    },
  );

  test("petstore migrate says on standard error that it waits, and prints only its result to standard output", async () => {
    const DATABASE_URL = await temporaryUrl();
    let result: Promise<string> | undefined;
    let progress = "";
    const untilProgress = async () => {
      const child = spawn(process.execPath, [ENTRY, "migrate"], { env: { DATABASE_URL } });
      result = text(child.stdout);
      for await (const chunk of child.stderr.setEncoding("utf8"))
        if ((progress += chunk as string).includes("\n")) break;
    };
    const [name, migration] = Object.entries(MIGRATIONS)[0]!;
    const up = async (db: Kysely<unknown>) => {
      // The program may take longer to start than a transaction of the service may be idle.
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(db);
      await untilProgress();
      await migration.up(db);
    };
    const slow = { ...migration, up };
    await migrate(opened(DATABASE_URL), { ...MIGRATIONS, [name]: slow });
    expect(progress).toMatch(/^Waiting for another process to migrate the database(, 1 s)?\n$/);
    expect(await result).toBe("The database is up to date.\n");
  });
});

describe("the command doctor", () => {
  async function found(url: string, check: string, env: NodeJS.ProcessEnv = {}) {
    const findings = await examine(DEFINITION, { DATABASE_URL: url, PORT: "1", ...env });
    return findings.find((finding) => finding.check === check);
  }

  test("petstore doctor checks a PostgreSQL database and its migrations", async () => {
    const url = await temporaryUrl();
    expect(await found(url, "migrations")).toMatchObject({ remedy: expect.stringContaining("petstore migrate") });
    await migrate(opened(url), MIGRATIONS);
    expect(await found(url, "migrations")).toEqual({ check: "migrations", found: "all applied" });
  });

  test("petstore doctor reports a PostgreSQL database that may lose acknowledged writes or cannot be reached", async () => {
    const url = await temporaryUrl();
    const { pathname } = new URL(url);
    const before = await found(url, "database"); // fsync is off on the tests' own server
    expect(before!.found).toMatch(/^PostgreSQL \d+\.\d+( \(.*\))?( with fsync off)?$/);
    await execute(url, `alter database ${pathname.slice(1)} set synchronous_commit = off`);
    expect(await found(url, "database")).toMatchObject({
      found: expect.stringMatching(/ (with|off,) synchronous_commit off$/),
      remedy: expect.stringContaining("may be lost"),
    });
    expect(await found(Object.assign(new URL(url), { port: "1" }).href, "database")).toMatchObject({
      found: "cannot be used",
      remedy: expect.stringContaining("Check that its server runs"),
    });
  });

  test("petstore doctor reports servers in DATABASE_URL_READ that are no replicas of the database", async () => {
    const [url, other] = [await temporaryUrl(), await temporaryUrl()];
    await migrate(opened(url), MIGRATIONS);
    const { host } = new URL(url);
    expect(await found(url, "replicas", { DATABASE_URL_READ: url })).toEqual({
      check: "replicas",
      found: `${host} is the primary`,
    });
    expect(await found(url, "replicas", { DATABASE_URL_READ: other })).toEqual({
      check: "replicas",
      found: `${host} is not used for reads (It has the data of another primary.)`,
      remedy: expect.stringContaining("Let DATABASE_URL_READ name running replicas"),
    });
  });

  test("petstore doctor reports several hosts without a synchronous standby", async () => {
    const url = await temporaryUrl();
    const { host } = new URL(url);
    const finding = await found(url.replace(host, `${host},${host}`), "database");
    expect(finding).toMatchObject({
      found: expect.stringMatching(/ (with|off,) synchronous_standby_names empty$/),
      remedy: expect.stringContaining("Name a standby in synchronous_standby_names"),
    });
  });
});

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
