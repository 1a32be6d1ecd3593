import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chown, mkdir, open, readdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { pathOfFileUrl } from "../../src/config.ts";
import { openDatabase } from "../../src/database/database.ts";
import { migrate } from "../../src/database/migrations.ts";
import { backup, restore } from "../../src/maintenance/backup.ts";
import { ownProgram, type Program, run, startProgram } from "../program.ts";
import { startService } from "../service.ts";
import { temporaryFolder, temporaryUrl } from "../temporary.ts";

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
    expect((await run(["restore", copy], { DATABASE_URL: `file:${elsewhere}` })).code).toBe(0);
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
  const [text, other] = [join(folder, "text"), join(folder, "other.db")];
  await writeFile(text, "no database at all, and long enough to be looked at".repeat(100));
  new Sqlite(other).exec("create table t (x)").close();
  for (const file of [text, other, join(folder, "missing")]) {
    const { code, stderr } = await run(["restore", file], env);
    expect({ code, lines: stderr.trimEnd().split("\n").length }).toEqual({ code: 1, lines: 1 });
  }
  expect((await readdir(folder)).toSorted()).toEqual(["other.db", "petstore.db", "text"]);
});

test("petstore restore refuses beside a service that nobody has sent a request yet", async () => {
  await using service = await startService();
  const path = pathOfFileUrl(service.databaseUrl);
  backup(path, `${path}.copy`);
  expect(() => restore(path, `${path}.copy`)).toThrow("is in use");
});

test("petstore backup and restore leave a folder alone that stands where they have to write", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "petstore.db");
  await migrateAndClose(`file:${path}`);
  for (const name of ["copy.db.petstore-partial", "petstore.db.petstore-restoring"]) await mkdir(join(folder, name));
  expect(() => backup(path, join(folder, "copy.db"))).toThrow("copy.db.petstore-partial is a folder");
  expect(() => restore(path, path)).toThrow("petstore.db.petstore-restoring is a folder");
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
  backup(path, incoming);
  expect(() => restore(path, incoming)).toThrow(
    "petstore-restoring is where this command has to write. Rename it first.",
  );
  expect(existsSync(incoming)).toBe(true);
  backup(path, join(folder, "copy.db"));
  expect(await readFile(join(folder, "copy.db.partial"), "utf8")).toBe("precious");
  expect(() => backup(path, join(folder, "x".repeat(250)))).toThrow(/cannot be written \(ENAMETOOLONG/);
});

test("petstore restore keeps the old database under a name that says when, and that any file system takes", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "petstore.db");
  await migrateAndClose(`file:${path}`);
  backup(path, `${path}.copy`);
  const before = new Date().toISOString();
  const aside = restore(path, `${path}.copy`)!;
  const [, day, hour, minute, rest] = /^petstore\.db\.before-(.{10}T)(\d\d)(\d\d)(\d\d\.\d{3}Z)$/.exec(
    basename(aside),
  )!;
  const at = `${day}${hour}:${minute}:${rest}`;
  expect([before, at, new Date().toISOString()]).toEqual([before, at, new Date().toISOString()].toSorted());
});

test("petstore restore follows a link to the database, which stays one", async () => {
  const folder = await temporaryFolder();
  const [path, link] = [join(folder, "petstore.db"), join(folder, "link.db")];
  await migrateAndClose(`file:${path}`);
  await symlink(path, link);
  backup(link, `${path}.copy`);
  expect(restore(link, `${path}.copy`)).toMatch(`${path}.before-`);
  expect(await readlink(link)).toBe(path);
  expect(idsIn(link)).toEqual([]);
});

test("petstore restore beside a process that opens the database then: it is refused, or the process gets the backup", async () => {
  const url = await temporaryUrl();
  await migrateAndClose(url);
  const path = pathOfFileUrl(url);
  backup(path, `${path}.copy`);
  const writer = fork(ownProgram("writer"), [url]);
  onTestFinished(() => void writer.kill("SIGKILL"));
  let restored = 0;
  const refusals: string[] = [];
  const ended = once(writer, "exit").then(([code]) => Promise.reject(new Error(`the writer exited with ${code}`)));
  const answered = Promise.race([once(writer, "message"), ended]);
  answered.catch(() => {}); // it is awaited below
  while (writer.exitCode === null && (restored < RESTORES || refusals.length < RESTORES)) {
    try {
      restore(path, `${path}.copy`);
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
    ["is lost, its log left behind", (path: string) => rm(path), /-wal\.\n$/],
    ["is damaged from its first page on", (path: string) => overwriteFirstPage(path), /Z\.\n$/],
  ])("puts the backup in the place of a database that %s", async (_, harm, aside) => {
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

    const restored = await run(["restore", copy], env);
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
  await migrate(db);
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
