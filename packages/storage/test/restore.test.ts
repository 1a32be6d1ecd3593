import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, open, readdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { SERVICE } from "@openapi-operations/command-line/name";
import { isOwnerOnly, needsPosix } from "@platform/test-support/machine";
import { temporaryFolder } from "@platform/test-support/temporary";
import Sqlite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { temporaryUrl } from "../src/testing/temporary.ts";
import { DatabaseError } from "../src/database-error.ts";
import { openDatabase } from "../src/database.ts";
import { backup } from "../src/maintenance/backup.ts";
import { restore } from "../src/maintenance/restore.ts";
import { appliedMigrations, migrate } from "../src/migrations.ts";
import { pathOfFileUrl } from "../src/url.ts";
import { type Database, insertThing, MIGRATIONS, opened, OPTIONS, temporaryStorage } from "./things.ts";

/** The least number of restores that succeed, and that fail, while another process opens the database. */
const RESTORES = 10;

test("a restore rejects a file that is not a backup, and changes nothing", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "petstore.db");
  await migrateAndClose(`file:${path}`);
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
    await expect(restore(path, file, OPTIONS)).rejects.toThrow(
      new DatabaseError(`${file} cannot be copied to ${path}.${SERVICE.name}-restoring (${reason}).`),
    );
  }
  expect((await readdir(folder)).toSorted()).toEqual(["other.db", "petstore.db", "text", "theirs.db"]);
});

test("a restore is rejected while a storage is open, even before its first query", async () => {
  const storage = await temporaryStorage();
  await storage.open();
  const path = pathOfFileUrl(storage.url);
  backup(path, `${path}.copy`, MIGRATIONS);
  await expect(restore(path, `${path}.copy`, OPTIONS)).rejects.toThrow("is in use");
});

test("a backup and a restore do not replace a folder at a path that they write to", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "petstore.db");
  await migrateAndClose(`file:${path}`);
  for (const name of [`copy.db.${SERVICE.name}-partial`, `petstore.db.${SERVICE.name}-restoring`])
    await mkdir(join(folder, name));
  expect(() => backup(path, join(folder, "copy.db"), MIGRATIONS)).toThrow(
    `copy.db.${SERVICE.name}-partial cannot be written (Path is a directory`,
  );
  await expect(restore(path, path, OPTIONS)).rejects.toThrow(
    `petstore.db.${SERVICE.name}-restoring cannot be written (Path is a directory`,
  );
  expect((await readdir(folder)).toSorted()).toEqual([
    `copy.db.${SERVICE.name}-partial`,
    "petstore.db",
    `petstore.db.${SERVICE.name}-restoring`,
  ]);
});

test("a backup and a restore remove no file that they did not create", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "petstore.db");
  await migrateAndClose(`file:${path}`);
  await writeFile(join(folder, "copy.db.partial"), "precious");
  const incoming = `${path}.${SERVICE.name}-restoring`;
  backup(path, incoming, MIGRATIONS);
  await expect(restore(path, incoming, OPTIONS)).rejects.toThrow(
    `${SERVICE.name}-restoring is where this command has to write. Rename it first.`,
  );
  expect(existsSync(incoming)).toBe(true);
  backup(path, join(folder, "copy.db"), MIGRATIONS);
  expect(await readFile(join(folder, "copy.db.partial"), "utf8")).toBe("precious");
  expect(() => backup(path, join(folder, "x".repeat(250)), MIGRATIONS)).toThrow(
    /cannot be written \(ENAMETOOLONG|cannot be copied/,
  );
});

test("a restore keeps the old database under a name with the time, valid on any file system", async () => {
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

test("a restore takes the rights of other users from the old database", async () => {
  const { path, db, copy } = await backedUp();
  await db.destroy();
  await chmod(path, 0o644);
  const { aside } = await restore(path, copy, OPTIONS);
  expect(isOwnerOnly(aside!)).toBe(true);
});

test("a restore follows a link to the database, and the link stays a link", async (context) => {
  needsPosix(context, "links without privileges");
  const folder = await temporaryFolder();
  const [path, link] = [join(folder, "petstore.db"), join(folder, "link.db")];
  await migrateAndClose(`file:${path}`);
  await symlink(path, link);
  backup(link, `${path}.copy`, MIGRATIONS);
  expect((await restore(link, `${path}.copy`, OPTIONS)).aside).toMatch(`${path}.before-`);
  expect(await readlink(link)).toBe(path);
  expect(idsIn(link)).toEqual([]);
});

test("a restore to a path that is taken meanwhile, as by a link to nothing, leaves the log in its place", async (context) => {
  needsPosix(context, "links without privileges");
  const { db, copy } = await backedUp();
  await db.destroy();
  const folder = await temporaryFolder();
  const link = join(folder, "petstore.db");
  await symlink(join(folder, "missing"), link);
  await writeFile(`${link}-wal`, "left");
  await expect(restore(link, copy, { ...OPTIONS, force: true })).rejects.toThrow(/petstore\.db is in use \(EEXIST/);
  expect((await readdir(folder)).toSorted()).toEqual(["petstore.db", "petstore.db-wal"]);
  expect(await readFile(`${link}-wal`, "utf8")).toBe("left");
});

test("while another process opens the database, a restore is rejected or that process gets the backup", async () => {
  const url = await temporaryUrl();
  await migrateAndClose(url);
  const path = pathOfFileUrl(url);
  backup(path, `${path}.copy`, MIGRATIONS);
  const writer = fork(join(import.meta.dirname, "programs/writer.ts"), [url]);
  onTestFinished(() => void writer.kill("SIGKILL"));
  let restored = 0;
  const refusals: string[] = [];
  const ended = once(writer, "exit").then(([code]) => Promise.reject(new Error(`the writer exited with ${code}`)));
  const answered = Promise.race([once(writer, "message"), ended]);
  answered.catch(() => {}); // awaited below
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

test("a restore rejects a database with a damaged page, unless it is forced", async () => {
  const { path, db, copy } = await backedUp();
  await db.destroy();
  const file = new Sqlite(path);
  const page = file.prepare("select rootpage from sqlite_master where name = 'things'").pluck().get() as number;
  file.close();
  const handle = await open(path, "r+");
  await handle.write(Buffer.alloc(4096, 0xff), 0, 4096, (page - 1) * 4096);
  await handle.close(); // Windows renames over no open file
  const rows = async () => (await readFile(path)).subarray(100); // after the header, which contains the journal mode
  const before = await rows();
  await expect(restore(path, copy, OPTIONS)).rejects.toThrow(
    /cannot be read \(database disk image is malformed\)\. After a restore, all data is lost, and new rows may reuse ids of lost rows\. To restore it nonetheless, add --force\.$/,
  );
  expect((await rows()).equals(before)).toBe(true);
  expect(await restore(path, copy, { ...OPTIONS, force: true })).toMatchObject({
    kept: undefined,
    aside: expect.any(String),
  });
});

test.each([
  [
    "of a newer version",
    "insert into kysely_migration (name, timestamp) values ('9999_later', '')",
    /newer than this program/,
  ],
  [
    "with migrations that do not match",
    "delete from kysely_migration where name like '0001%'",
    /could not be migrated/,
  ],
])("a restore rejects a backup %s before it moves any file", async (_, change, message) => {
  const { path, db, copy } = await backedUp();
  await insertThing(db, { name: "cup", size: 1 });
  await db.destroy();
  new Sqlite(copy).exec(change).close();
  const [names, before] = [await readdir(dirname(path)), await readFile(path)];
  await expect(restore(path, copy, { ...OPTIONS, force: true })).rejects.toThrow(message);
  expect(await readdir(dirname(path))).toEqual(names);
  expect((await readFile(path)).equals(before)).toBe(true);
});

test("a restore migrates a backup of an older version to the current one, and reports each step", async () => {
  const { path, db } = await backedUp();
  await db.destroy();
  const copy = join(await temporaryFolder(), "older.db");
  const older = openDatabase(`file:${copy}`);
  await migrate(older, Object.fromEntries(Object.entries(MIGRATIONS).slice(0, 1)));
  await older.destroy();
  const reported: unknown[] = [];
  await restore(path, copy, { ...OPTIONS, report: (...step) => reported.push(step) });
  const applied = await appliedMigrations(opened(`file:${path}`));
  expect(applied.map(({ name }) => name)).toEqual(Object.keys(MIGRATIONS));
  const [copying, ...steps] = reported;
  const file = `${path}.${SERVICE.name}-restoring.${SERVICE.name}-partial`;
  expect(copying).toEqual(["Copying older.db", { file, bytes: (await stat(copy)).size }]);
  const missing = Object.keys(MIGRATIONS).slice(1);
  expect(steps.flat()).toEqual([
    "Checking the copy",
    "Syncing the copy to disk",
    ...missing.map((name) => `Applying ${name}`),
    "Reading the database to replace",
  ]);
});

test.skipIf(process.getuid?.() !== 0)("a restore run by root keeps the owner of the database", async () => {
  const folder = await temporaryFolder();
  const [path, copy] = [join(folder, "petstore.db"), join(folder, "copy.db")];
  await migrateAndClose(`file:${path}`);
  backup(path, copy, MIGRATIONS);
  await chown(path, 12_345, 12_346);
  await restore(path, copy, OPTIONS);
  expect(await stat(path)).toMatchObject({ uid: 12_345, gid: 12_346 });
});

/** Returns an open database and its backup. */
async function backedUp(): Promise<{ path: string; db: Database; copy: string }> {
  const folder = await temporaryFolder();
  const [path, copy] = [join(folder, "petstore.db"), join(folder, "copy.db")];
  const db = openDatabase(`file:${path}`);
  await migrate(db, MIGRATIONS);
  backup(path, copy, MIGRATIONS);
  return { path, db, copy };
}

async function migrateAndClose(url: string): Promise<void> {
  const db = openDatabase(url);
  await migrate(db, MIGRATIONS);
  await db.destroy();
}

/** Checks the integrity of a database and returns the ids of its things. */
function idsIn(path: string): number[] {
  const file = new Sqlite(path, { readonly: true });
  expect(file.pragma("integrity_check", { simple: true })).toBe("ok");
  const ids = file.prepare("select id from things order by id").pluck().all() as number[];
  file.close();
  return ids;
}

test("a restore rejects a damaged database whose log shows that another process has it open", async () => {
  const folder = await temporaryFolder();
  const [path, copy] = [join(folder, "petstore.db"), join(folder, "copy.db")];
  await migrateAndClose(`file:${path}`);
  backup(path, copy, MIGRATIONS);
  await writeFile(path, "no database at all, and long enough to be looked at".repeat(100));
  await writeFile(`${path}-wal`, "");
  await expect(restore(path, copy, { ...OPTIONS, force: true })).rejects.toThrow(
    /is in use \(file is not a database\)/,
  );
  expect(await readFile(path, "utf8")).toContain("no database at all");
});
