import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chown, mkdir, open, readdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { listAudit } from "@platform/api-keys/audit.repository";
import { ensureBootstrapKey } from "@platform/api-keys/bootstrap";
import { endedKeys } from "@platform/api-keys/ended-keys";
import { createApiKey, findApiKey, listApiKeys, revokeApiKey, rotateApiKey } from "@platform/api-keys/keys.repository";
import { backup } from "@platform/storage/backup";
import { factsOf } from "@platform/storage/carry-over";
import { openDatabase } from "@platform/storage/database";
import { appliedMigrations, migrate } from "@platform/storage/migrations";
import { restore } from "@platform/storage/restore";
import { pathOfFileUrl } from "@platform/storage/url";
import { temporaryFolder, temporaryUrl } from "@platform/test-support/temporary";
import Sqlite from "better-sqlite3";
import { sql } from "kysely";
import { describe, expect, onTestFinished, test } from "vitest";
import { MIGRATIONS } from "../../src/migrations.ts";
import { TABLES } from "../../src/registrations.ts";
import { insertPet } from "../../src/resources/pets/pets.repository.ts";
import { startService } from "../../testing/service.ts";
import { ownProgram, type Program, run, startProgram } from "../program.ts";
import { type Database, opened, SCHEMA } from "../temporary.ts";

const OPTIONS = { ...SCHEMA, carryOver: endedKeys };
const ANSWERS_BEFORE_BACKUP = 100;
const RESTORES = 10;

describe("petstore backup", () => {
  test("while serving holds everything acknowledged before, and restore brings it back", async () => {
    const folder = await temporaryFolder();
    const program = await startProgram(folder, { LOG_LEVEL: "silent" });
    const env = { DATABASE_URL: `file:${folder}/data/petstore.db` };
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
    expect((await stat(copy)).mode & 0o777).toBe(0o600);

    const refused = await run(["restore", copy], env);
    expect({ code: refused.code, stderr: refused.stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/petstore\.db is in use .*Stop the service.*\n$/),
    });
    const later = await create(program);
    expect(await program.stop()).toBe(0);

    const restored = await run(["restore", copy], env);
    expect(restored).toMatchObject({ code: 0, stderr: "" });
    expect(idsIn(join(folder, "data/petstore.db"))).toEqual(copied);
    const aside = /is now (\S+)\.$/m.exec(restored.stdout)?.[1];
    expect(idsIn(aside!)).toContain(later);

    const elsewhere = join(folder, "new/machine/petstore.db");
    const nowhere = await run(["restore", copy], { DATABASE_URL: `file:${elsewhere}` });
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringMatching(/ cannot be read .*--force\.\n$/) });
    expect((await run(["restore", copy, "--force"], { DATABASE_URL: `file:${elsewhere}` })).code).toBe(0);
    expect(idsIn(elsewhere)).toEqual(copied);

    const again = await startProgram(folder, { LOG_LEVEL: "silent" });
    expect(copied).not.toContain(await create(again));
    expect(await again.stop()).toBe(0);
  });

  test("does not overwrite, and leaves nothing when there is no database", async () => {
    const folder = await temporaryFolder();
    const taken = join(folder, "taken.db");
    await writeFile(taken, "mine");
    const env = { DATABASE_URL: await temporaryUrl() };
    expect(await run(["backup", taken], env)).toMatchObject({ code: 1, stderr: expect.stringContaining("exists") });
    expect((await run(["backup", join(folder, "copy.db")], env)).code).toBe(1);
    expect(await readdir(folder)).toEqual(["taken.db"]);
  });
});

test("petstore restore refuses what is no backup, and changes nothing", async () => {
  const folder = await temporaryFolder();
  const env = { DATABASE_URL: `file:${folder}/petstore.db` };
  await run(["migrate"], env);
  const [text, other, theirs] = [join(folder, "text"), join(folder, "other.db"), join(folder, "theirs.db")];
  await writeFile(text, "no database at all, and long enough to be looked at".repeat(100));
  new Sqlite(other).exec("create table t (x)").close();
  new Sqlite(theirs)
    .exec("create table kysely_migration (name text)")
    .exec("insert into kysely_migration values ('0001_theirs')")
    .close();
  for (const [file, reason] of [
    [text, "file is not a database"],
    [other, "no such table: kysely_migration"],
    [theirs, "it is the database of another program"],
    [join(folder, "missing"), "unable to open database file"],
  ] as const) {
    const { code, stderr } = await run(["restore", file], env);
    expect(code).toBe(1);
    expect(stderr).toBe(`${file} cannot be copied to ${folder}/petstore.db.petstore-restoring (${reason}).\n`);
  }
  expect((await readdir(folder)).toSorted()).toEqual(["other.db", "petstore.db", "text", "theirs.db"]);
});

test("petstore restore refuses beside a service that nobody has sent a request yet", async () => {
  await using service = await startService();
  const path = pathOfFileUrl(service.databaseUrl);
  backup(path, `${path}.copy`, MIGRATIONS);
  await expect(restore(path, `${path}.copy`, OPTIONS)).rejects.toThrow("is in use");
});

test("petstore backup and restore leave a folder alone that stands where they have to write", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "petstore.db");
  await migrateAndClose(`file:${path}`);
  for (const name of ["copy.db.petstore-partial", "petstore.db.petstore-restoring"]) await mkdir(join(folder, name));
  expect(() => backup(path, join(folder, "copy.db"), MIGRATIONS)).toThrow("copy.db.petstore-partial is a folder");
  await expect(restore(path, path, OPTIONS)).rejects.toThrow("petstore.db.petstore-restoring is a folder");
  expect((await readdir(folder)).toSorted()).toEqual([
    "copy.db.petstore-partial",
    "petstore.db",
    "petstore.db.petstore-restoring",
  ]);
});

test("petstore backup and restore remove no file that is not theirs", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "petstore.db");
  await migrateAndClose(`file:${path}`);
  await writeFile(join(folder, "copy.db.partial"), "precious");
  const incoming = `${path}.petstore-restoring`;
  backup(path, incoming, MIGRATIONS);
  await expect(restore(path, incoming, OPTIONS)).rejects.toThrow(
    "petstore-restoring is where this command has to write. Rename it first.",
  );
  expect(existsSync(incoming)).toBe(true);
  backup(path, join(folder, "copy.db"), MIGRATIONS);
  expect(await readFile(join(folder, "copy.db.partial"), "utf8")).toBe("precious");
  expect(() => backup(path, join(folder, "x".repeat(250)), MIGRATIONS)).toThrow(/cannot be written \(ENAMETOOLONG/);
});

test("petstore restore keeps the old database under a name that says when, and that any file system takes", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "petstore.db");
  await migrateAndClose(`file:${path}`);
  backup(path, `${path}.copy`, MIGRATIONS);
  const before = new Date().toISOString();
  const aside = (await restore(path, `${path}.copy`, OPTIONS)).aside!;
  const [, day, hour, minute, rest] = /^petstore\.db\.before-(.{10}T)(\d\d)(\d\d)(\d\d\.\d{3}Z)$/.exec(
    basename(aside),
  )!;
  const at = `${day}${hour}:${minute}:${rest}`;
  const times = [before, at, new Date().toISOString()];
  expect(times).toEqual(times.toSorted());
});

test("petstore restore follows a link to the database, which stays one", async () => {
  const folder = await temporaryFolder();
  const [path, link] = [join(folder, "petstore.db"), join(folder, "link.db")];
  await migrateAndClose(`file:${path}`);
  await symlink(path, link);
  backup(link, `${path}.copy`, MIGRATIONS);
  expect((await restore(link, `${path}.copy`, OPTIONS)).aside).toMatch(`${path}.before-`);
  expect(await readlink(link)).toBe(path);
  expect(idsIn(link)).toEqual([]);
});

test("petstore restore beside a process that opens the database then: it is refused, or the process gets the backup", async () => {
  const url = await temporaryUrl();
  await migrateAndClose(url);
  const path = pathOfFileUrl(url);
  backup(path, `${path}.copy`, MIGRATIONS);
  const writer = fork(ownProgram("writer"), [url]);
  onTestFinished(() => void writer.kill("SIGKILL"));
  let restored = 0;
  const refusals: string[] = [];
  const ended = once(writer, "exit").then(([code]) => Promise.reject(new Error(`the writer exited with ${code}`)));
  const answered = Promise.race([once(writer, "message"), ended]);
  answered.catch(() => {}); // it is awaited below
  while (writer.exitCode === null && (restored < RESTORES || refusals.length < RESTORES)) {
    try {
      await restore(path, `${path}.copy`, OPTIONS);
      restored++;
    } catch (error) {
      refusals.push((error as Error).message);
    }
    await setImmediate();
  }
  writer.send("stop");
  expect(await answered).toMatchObject([{ lost: 0 }, undefined]);
  expect(refusals.filter((message) => !message.includes("is in use"))).toEqual([]);
});

describe("petstore restore after a crash", () => {
  test.each([
    ["is lost, its log left behind", (path: string) => rm(path), /-wal\.\nIt could not be read: .*\n$/],
    [
      "is damaged from its first page on",
      (path: string) => overwriteFirstPage(path),
      /Z\.\nIt could not be read: .*\n$/,
    ],
  ])("puts the backup in the place of a database that %s, with --force alone", async (_, harm, aside) => {
    const folder = await temporaryFolder();
    const env = { DATABASE_URL: `file:${folder}/data/petstore.db` };
    const path = join(folder, "data/petstore.db");
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
      stderr: expect.stringMatching(/ cannot be read .*--force\.\n$/),
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

  test("refuses a damaged database that a process has open, and leaves nothing", async () => {
    const folder = await temporaryFolder();
    const env = { DATABASE_URL: `file:${folder}/data/petstore.db` };
    const copy = join(folder, "copy.db");
    const program = await startProgram(folder, { LOG_LEVEL: "silent" });
    await create(program);
    expect((await run(["backup", copy], env)).code).toBe(0);
    await overwriteFirstPage(join(folder, "data/petstore.db"));
    const before = await readdir(join(folder, "data"));
    expect(await run(["restore", copy], env)).toMatchObject({ code: 1, stderr: expect.stringContaining("is in use") });
    expect(await readdir(join(folder, "data"))).toEqual(before);
  });
});

describe("petstore restore keeps what the replaced database says", () => {
  test("of keys: those revoked or rotated since the backup stay so, also one that the backup does not know", async () => {
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
    expect(stdout).toContain("Revoked or rotated since the backup, and still so: 3 API keys. No id is given twice.\n");
    expect(stdout).toMatch(/^Lost, added between .*: 2 API keys\.$/m); // what the rotation made, and the last
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
    expect(await ensureBootstrapKey(restored, keyFile)).toBe("known");
    expect(await findApiKey(restored, later.key, Date.now())).toBeUndefined();
    const { id } = await createApiKey(restored, { name: "new", environment: "staging" });
    expect(before.map((key) => key.id)).not.toContain(id);
  });

  test("of ids: none of an animal is given twice, and what is lost is printed with its time", async () => {
    const pet = { name: "Rex", categoryId: 1, status: "sold" } as const;
    const { path, db, copy } = await backedUp(async (keys) => {
      await createApiKey(keys, { name: "shop", environment: "staging" });
      await insertPet(keys, pet);
    });
    const { lastTime } = await noted(path);
    for (let count = 0; count < 2; count++) await insertPet(db, pet);
    const at = Date.now() + 60_000;
    await db
      .insertInto("idempotency_keys")
      .values({ api_key_id: 1, key: "k", request_hash: "h", answer: "{}", created_at: at })
      .execute();
    const lost = await insertPet(db, pet);
    await sql`delete from pets where id = ${lost.id}`.execute(db); // its id was given all the same
    await db.destroy();

    const { stdout } = await run(["restore", copy], { DATABASE_URL: `file:${path}` });
    expect(stdout).toContain(
      `Lost, added between ${new Date(lastTime).toISOString()} and ${new Date(at).toISOString()}: 2 animals, 1 answer kept for Idempotency-Key.\n`,
    );
    expect(await insertPet(opened(`file:${path}`), pet)).toMatchObject({ id: lost.id + 1 });
  });

  test("of a version before this, whose tables have fewer columns, and of one that has never had a table", async () => {
    const { path, db, copy } = await backedUp(async (keys) => {
      for (const name of ["kept", "revoked"]) await createApiKey(keys, { name, environment: "staging" });
    });
    await revokeApiKey(db, 2);
    for (const column of ["last_used_at", "rotated_at"])
      await sql`alter table api_keys drop column ${sql.ref(column)}`.execute(db);
    await sql`drop table audit`.execute(db);
    await db.destroy();
    expect(await restore(path, copy, OPTIONS)).toMatchObject({
      carried: { says: expect.stringMatching(/: 1 API key\.$/) },
    });
    await writeFile(path, "");
    expect(await restore(path, copy, OPTIONS)).toMatchObject({
      carried: { says: expect.stringMatching(/: 0 API keys\.$/), loss: { rows: { pets: 0 } } },
    });
  });

  test("and refuses where a page that it has to read is damaged, unless it is forced", async () => {
    const { path, db, copy } = await backedUp(async () => {});
    await db.destroy();
    const file = new Sqlite(path);
    const page = file.prepare("select rootpage from sqlite_master where name = 'api_keys'").pluck().get() as number;
    file.close();
    await using handle = await open(path, "r+");
    await handle.write(Buffer.alloc(4096, 0xff), 0, 4096, (page - 1) * 4096);
    const rows = async () => (await readFile(path)).subarray(100); // behind the header, where the journal mode stands
    const before = await rows();
    await expect(restore(path, copy, OPTIONS)).rejects.toThrow(
      /cannot be read \(database disk image is malformed\): API keys that were revoked since the backup would be valid again, and ids that were given since would be given again\. To restore it nonetheless, add --force\.$/,
    );
    expect((await rows()).equals(before)).toBe(true);
    expect(await restore(path, copy, { ...OPTIONS, force: true })).toMatchObject({
      carried: undefined,
      aside: expect.any(String),
    });
  });
});

test.each([
  [
    "that a newer version has made",
    "insert into kysely_migration values ('9999_later', '')",
    /newer than this program/,
  ],
  ["whose migrations do not fit", "delete from kysely_migration where name like '0001%'", /could not be migrated/],
])("petstore restore refuses a backup %s, before anything is moved", async (_, change, message) => {
  const { path, db, copy } = await backedUp(async () => {});
  await revokeApiKey(db, (await createApiKey(db, { name: "shop", environment: "staging" })).id);
  await db.destroy();
  new Sqlite(copy).exec(change).close();
  const [names, before] = [await readdir(dirname(path)), await readFile(path)];
  await expect(restore(path, copy, { ...OPTIONS, force: true })).rejects.toThrow(message);
  expect(await readdir(dirname(path))).toEqual(names);
  expect((await readFile(path)).equals(before)).toBe(true);
});

test("petstore restore brings a backup of an older version to this one", async () => {
  const { path, db } = await backedUp(async () => {});
  await db.destroy();
  const copy = join(await temporaryFolder(), "older.db");
  const older = openDatabase(`file:${copy}`);
  await migrate(older, Object.fromEntries(Object.entries(MIGRATIONS).slice(0, 2)));
  await older.destroy();
  await restore(path, copy, OPTIONS);
  expect(await appliedMigrations(opened(`file:${path}`))).toEqual(Object.keys(MIGRATIONS));
});

/** A database, which is open, and its backup, made once it has been filled. */
async function backedUp(fill: (db: Database) => Promise<void>): Promise<{ path: string; db: Database; copy: string }> {
  const folder = await temporaryFolder();
  const [path, copy] = [join(folder, "petstore.db"), join(folder, "copy.db")];
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

test.skipIf(process.getuid?.() !== 0)("petstore restore, run by root, leaves the database to its owner", async () => {
  const folder = await temporaryFolder();
  const [path, copy] = [join(folder, "petstore.db"), join(folder, "copy.db")];
  const env = { DATABASE_URL: `file:${path}` };
  await run(["migrate"], env);
  await run(["backup", copy], env);
  await chown(path, 12_345, 12_346);
  expect((await run(["restore", copy], env)).code).toBe(0);
  expect(await stat(path)).toMatchObject({ uid: 12_345, gid: 12_346 });
});

async function migrateAndClose(url: string): Promise<void> {
  const db = openDatabase(url);
  await migrate(db, MIGRATIONS);
  await db.destroy();
}

async function overwriteFirstPage(path: string): Promise<void> {
  await using file = await open(path, "r+");
  await file.write(Buffer.alloc(4096, 0xa5), 0, 4096, 0);
}

async function create({ baseUrl, key }: Program): Promise<number> {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const response = await fetch(`${baseUrl}/pets`, {
    method: "POST",
    headers,
    body: '{"name":"Rex","categoryId":1}',
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: number }).id;
}

/** The animals of a database that is whole. */
function idsIn(path: string): number[] {
  const file = new Sqlite(path, { readonly: true });
  expect(file.pragma("integrity_check", { simple: true })).toBe("ok");
  const ids = file.prepare("select id from pets order by id").pluck().all() as number[];
  file.close();
  return ids;
}
