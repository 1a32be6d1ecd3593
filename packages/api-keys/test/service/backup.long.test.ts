import { open, readdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { listAudit } from "../../src/audit.repository.ts";
import { ensureBootstrapKey } from "../../src/first-keys.ts";
import { keptApiKeys } from "../../src/keys.kept-data.ts";
import { createApiKey, findApiKey, listApiKeys, revokeApiKey, rotateApiKey } from "../../src/keys.repository.ts";
import { backup } from "@openapi-operations/storage/backup";
import { factsOf } from "@openapi-operations/storage/kept-data";
import { openDatabase } from "@openapi-operations/storage/database";
import { migrate } from "@openapi-operations/storage/migrations";
import { restore } from "@openapi-operations/storage/restore";
import { temporaryUrl } from "@openapi-operations/storage/testing";
import { temporaryFolder } from "@platform/test-support/temporary";
import { isOwnerOnly } from "@platform/test-support/machine";
import Sqlite from "better-sqlite3";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { type Database, MIGRATIONS, opened, SCHEMA, TABLES } from "../tables.ts";
import { insertThing } from "./things.ts";
import { type Program, run, startProgram } from "./start.ts";

const OPTIONS = { ...SCHEMA, keptData: keptApiKeys };
const ANSWERS_BEFORE_BACKUP = 100;

describe("backup", () => {
  test("contains every earlier acknowledged write while the service runs, and restore brings them back", async () => {
    const folder = await temporaryFolder();
    const program = await startProgram(folder, { LOG_LEVEL: "silent" });
    const env = { DATABASE_URL: `file:${folder}/data/things.db` };
    const copy = join(folder, "copy.db");

    const acknowledged: number[] = [];
    const done = new AbortController();
    const { promise: loaded, resolve: enough } = Promise.withResolvers<void>();
    const writers = Array.from({ length: 8 }, async () => {
      while (!done.signal.aborted) {
        acknowledged.push(await create(program));
        if (acknowledged.length >= ANSWERS_BEFORE_BACKUP) enough();
      }
    });
    await loaded;
    const before = [...acknowledged];
    const result = await run(["backup", copy], env);
    done.abort();
    await Promise.all(writers);

    expect(result).toEqual({ code: 0, stdout: `The database is backed up to ${copy}.\n`, stderr: "" });
    const copied = idsIn(copy);
    expect(before.filter((id) => !copied.includes(id))).toEqual([]);
    expect(isOwnerOnly(copy)).toBe(true);

    const refused = await run(["restore", copy], env);
    expect({ code: refused.code, stderr: refused.stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/things\.db is in use .*Stop the service.*\n$/),
    });
    const later = await create(program);
    expect(await program.stop()).toBe(0);

    const restored = await run(["restore", copy], env);
    expect(restored).toMatchObject({ code: 0, stderr: "" });
    expect(idsIn(join(folder, "data/things.db"))).toEqual(copied);
    const aside = /is now (\S+)\.$/m.exec(restored.stdout)?.[1];
    expect(idsIn(aside!)).toContain(later);

    const elsewhere = join(folder, "new/machine/things.db");
    const nowhere = await run(["restore", copy], { DATABASE_URL: `file:${elsewhere}` });
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringMatching(/ cannot be read .*--force\.\n$/) });
    expect((await run(["restore", copy, "--force"], { DATABASE_URL: `file:${elsewhere}` })).code).toBe(0);
    expect(idsIn(elsewhere)).toEqual(copied);

    const again = await startProgram(folder, { LOG_LEVEL: "silent" });
    expect(copied).not.toContain(await create(again));
    expect(await again.stop()).toBe(0);
  });

  test("overwrites no file, and leaves none if there is no database", async () => {
    const folder = await temporaryFolder();
    const taken = join(folder, "taken.db");
    await writeFile(taken, "mine");
    const env = { DATABASE_URL: await temporaryUrl() };
    expect(await run(["backup", taken], env)).toMatchObject({ code: 1, stderr: expect.stringContaining("exists") });
    expect((await run(["backup", join(folder, "copy.db")], env)).code).toBe(1);
    expect(await readdir(folder)).toEqual(["taken.db"]);
  });
});

describe("restore after a crash", () => {
  test.each([
    [
      "is lost while its log remains",
      (path: string) => rm(path),
      /-wal\.\nThe replaced file could not be read\. .*\n$/,
    ],
    [
      "has a damaged first page",
      (path: string) => overwriteFirstPage(path),
      /Z\.\nThe replaced file could not be read\. .*\n$/,
    ],
  ])("replaces a database that %s with the backup, but only with --force", async (_, harm, aside) => {
    const folder = await temporaryFolder();
    const env = { DATABASE_URL: `file:${folder}/data/things.db` };
    const path = join(folder, "data/things.db");
    const program = await startProgram(folder, { LOG_LEVEL: "silent" });
    const ids = [await create(program), await create(program)];
    const copy = join(folder, "copy.db");
    expect((await run(["backup", copy], env)).code).toBe(0);
    await create(program);
    await program.stop("SIGKILL");
    expect((await stat(`${path}-wal`)).size).toBeGreaterThan(0);
    await harm(path);

    const before = await readdir(join(folder, "data"));
    const refused = await run(["restore", copy], env);
    expect(refused).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(
        / cannot be read .*, API keys that were revoked since the backup may be valid again, .*--force\.\n$/,
      ),
    });
    const after = await readdir(join(folder, "data"));
    expect(after.filter((name) => !before.includes(name))).toEqual([]);
    const restored = await run(["restore", copy, "--force"], env);
    expect(restored).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(aside) });
    expect(idsIn(path)).toEqual(ids);
    const again = await startProgram(folder, { LOG_LEVEL: "silent" });
    expect(ids).not.toContain(await create(again));
    expect(await again.stop()).toBe(0);
  });

  test("rejects a damaged database that a process has open, and leaves no file", async () => {
    const folder = await temporaryFolder();
    const env = { DATABASE_URL: `file:${folder}/data/things.db` };
    const copy = join(folder, "copy.db");
    const program = await startProgram(folder, { LOG_LEVEL: "silent" });
    await create(program);
    expect((await run(["backup", copy], env)).code).toBe(0);
    await overwriteFirstPage(join(folder, "data/things.db"));
    const before = await readdir(join(folder, "data"));
    expect(await run(["restore", copy], env)).toMatchObject({ code: 1, stderr: expect.stringContaining("is in use") });
    expect(await readdir(join(folder, "data"))).toEqual(before);
  });
});

test("restore rejects a database whose service runs, even before its first request", async () => {
  const folder = await temporaryFolder();
  const env = { DATABASE_URL: `file:${folder}/data/things.db` };
  const { stop } = await startProgram(folder);
  const copy = join(folder, "copy.db");
  await run(["backup", copy], env);
  expect(await run(["restore", copy], env)).toMatchObject({ code: 1, stderr: expect.stringContaining("is in use") });
  expect(await stop()).toBe(0);
  expect(await run(["restore", copy], env)).toMatchObject({ code: 0, stderr: "" });
});

describe("restore keeps from the replaced database", () => {
  test("the keys revoked or rotated since the backup, also one that is not in the backup", async () => {
    const { path, db, copy } = await backedUp(async (keys) => {
      for (const name of ["kept", "revoked", "rotated"]) await createApiKey(keys, { name, environment: "staging" });
    });
    await revokeApiKey(db, 2);
    const rotation = await rotateApiKey(db, 3, 0);
    const later = await createApiKey(db, { name: "bootstrap", environment: "staging" });
    await createApiKey(db, { name: "lost", environment: "staging" });
    await revokeApiKey(db, later.id);
    const before = await listApiKeys(db);
    await db.destroy();

    const { code, stdout } = await run(["restore", copy], { DATABASE_URL: `file:${path}` });
    expect(code).toBe(0);
    expect(stdout).toContain("Revoked or rotated since the backup, and still so: 3 API keys. No id is reused.\n");
    expect(stdout).toMatch(/^Lost, added between .*: 2 API keys\.$/m); // the key that the rotation created, and the last key
    const restored = opened(`file:${path}`);
    expect(rotation.outcome).toBe("rotated");
    expect(await listApiKeys(restored)).toEqual(before.filter(({ id }) => [1, 2, 3, later.id].includes(id)));
    const trail = (await listAudit(restored, TABLES)).map(({ action, keyId }) => `${action} ${keyId}`);
    expect(trail).toEqual([
      "issue 1",
      "issue 2",
      "issue 3",
      "revoke 2",
      "rotate 3",
      `issue ${later.id}`,
      `revoke ${later.id}`,
    ]);

    const keyFile = join(dirname(path), "bootstrap.key");
    await writeFile(keyFile, later.key, { mode: 0o600 });
    expect(await ensureBootstrapKey(restored, keyFile, "staging")).toBe("known");
    expect(await findApiKey(restored, later.key, Date.now())).toBeUndefined();
    const { id } = await createApiKey(restored, { name: "new", environment: "staging" });
    expect(before.map((key) => key.id)).not.toContain(id);
  });

  test("the last id of a thing, so that no id is reused, and prints the lost rows with their times", async () => {
    const thing = { name: "Rex" };
    const { path, db, copy } = await backedUp(async (keys) => {
      await createApiKey(keys, { name: "shop", environment: "staging" });
      await insertThing(keys, thing);
    });
    const { lastTime } = await noted(path);
    for (let count = 0; count < 2; count++) await insertThing(db, thing);
    const at = Date.now() + 60_000;
    await db
      .insertInto("idempotency_keys")
      .values({ api_key_id: 1, key: "k", request_hash: "h", answer: "{}", created_at: at })
      .execute();
    const lost = await insertThing(db, thing);
    await sql`delete from things where id = ${lost.id}`.execute(db); // its id was used nevertheless
    await db.destroy();

    const { stdout } = await run(["restore", copy], { DATABASE_URL: `file:${path}` });
    expect(stdout).toContain(
      `Lost, added between ${new Date(lastTime).toISOString()} and ${new Date(at).toISOString()}: 2 things, 1 response stored for Idempotency-Key.\n`,
    );
    expect(await insertThing(opened(`file:${path}`), thing)).toMatchObject({ id: lost.id + 1 });
  });

  test("the keys of an earlier version with fewer columns, and none of a file without tables", async () => {
    const { path, db, copy } = await backedUp(async (keys) => {
      for (const name of ["kept", "revoked"]) await createApiKey(keys, { name, environment: "staging" });
    });
    await revokeApiKey(db, 2);
    for (const column of ["last_used_at", "rotated_at"])
      await sql`alter table api_keys drop column ${sql.ref(column)}`.execute(db);
    await sql`drop table audit`.execute(db);
    await db.destroy();
    expect(await restore(path, copy, OPTIONS)).toMatchObject({
      kept: { summary: expect.stringMatching(/: 1 API key\.$/) },
    });
    await writeFile(path, "");
    expect(await restore(path, copy, OPTIONS)).toMatchObject({
      kept: { summary: expect.stringMatching(/: 0 API keys\.$/), loss: { rows: { things: 0 } } },
    });
  });
});

/** An open database, and its backup, made after `fill`. */
async function backedUp(fill: (db: Database) => Promise<void>): Promise<{ path: string; db: Database; copy: string }> {
  const folder = await temporaryFolder();
  const [path, copy] = [join(folder, "things.db"), join(folder, "copy.db")];
  const db = openDatabase(`file:${path}`);
  await migrate(db, MIGRATIONS);
  await fill(db);
  backup(path, copy, MIGRATIONS);
  return { path, db, copy };
}

async function noted(path: string): Promise<{ lastTime: number }> {
  const file = new Sqlite(path, { readonly: true });
  const { lastTime } = factsOf(file);
  file.close();
  return { lastTime: lastTime! };
}

async function overwriteFirstPage(path: string): Promise<void> {
  await using file = await open(path, "r+");
  await file.write(Buffer.alloc(4096, 0xa5), 0, 4096, 0);
}

async function create({ baseUrl, key }: Program): Promise<number> {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const response = await fetch(`${baseUrl}/things`, {
    method: "POST",
    headers,
    body: '{"name":"Rex"}',
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: number }).id;
}

/** Returns the ids of the things in an intact database. */
function idsIn(path: string): number[] {
  const file = new Sqlite(path, { readonly: true });
  expect(file.pragma("integrity_check", { simple: true })).toBe("ok");
  const ids = file.prepare("select id from things order by id").pluck().all() as number[];
  file.close();
  return ids;
}
