import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readlinkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { chmod, mkdir, readdir, stat, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { backup } from "@platform/storage/backup";
import { openDatabase } from "@platform/storage/database";
import { migrate } from "@platform/storage/migrations";
import { openFile, refuseOldSqlite } from "@platform/storage/sqlite.file";
import { temporaryFolder } from "@platform/test-support/temporary";
import Sqlite from "better-sqlite3";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { MIGRATIONS } from "../../src/migrations.ts";
import type { Tables } from "../../src/registrations.ts";
import { ENTRY, run, startProgram } from "../program.ts";

test.each(["3.51.3", "3.51.10", "3.54.1", "4.0.0"])("SQLite %s is used", (version) => {
  expect(() => refuseOldSqlite(version)).not.toThrow();
});

test.each(["3.7.0", "3.46.1", "3.51.2"])("SQLite %s, which may damage a database, is refused", (version) => {
  expect(() => refuseOldSqlite(version)).toThrow(`SQLite ${version} may damage a database; 3.51.3 or later is needed`);
});

describe("a file that is replaced while it is opened", () => {
  test("by `petstore restore`: the backup is opened", async () => {
    const path = await databaseWith("old");
    backup(await databaseWith("backup"), `${path}.copy`, MIGRATIONS);
    const env = { ...process.env, DATABASE_URL: `file:${path}` };
    afterOpening(() => {
      const { status, stderr } = spawnSync(process.execPath, [ENTRY, "restore", `${path}.copy`], { env });
      expect([status, String(stderr)]).toEqual([0, ""]);
    });
    expect(namesIn(path)).toEqual(["backup"]);
  });

  test.each([
    ["before it is read", "prepare", 1],
    ["before it is set", "pragma", 1],
    ["before its settings are compared", "pragma", 6],
  ] as const)("by a file moved to its place %s: that is opened", async (_when, method, count) => {
    const [path, other] = [await databaseWith("old"), await databaseWith("new")];
    afterOpening(
      () => {
        renameSync(path, `${path}.aside`);
        for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
        renameSync(other, path);
      },
      method,
      count,
    );
    expect(namesIn(path)).toEqual(["new"]);
  });

  test("by one that can be opened, when it cannot be itself: that is opened", async () => {
    const [path, other] = [join(await temporaryFolder(), "petstore.db"), await databaseWith("new")];
    writeFileSync(path, "This is not a database. ".repeat(100));
    afterOpening(() => renameSync(other, path));
    expect(namesIn(path)).toEqual(["new"]);
  });

  test("by nothing: a file that has to exist is missed, and one that has not is made", async () => {
    const path = await databaseWith("old");
    afterOpening(() => rmSync(path));
    expect(() => openFile(path, true)).toThrow("unable to open database file");
    expect(existsSync(path)).toBe(false);
    const { file, isInPlace } = openFile(path);
    expect(isInPlace()).toBe(true);
    file.close();
    expect(existsSync(path)).toBe(true);
  });

  test("by nothing: no folder is made for a file that has to exist", async () => {
    const path = join(await temporaryFolder(), "missing", "petstore.db");
    expect(() => openFile(path, true)).toThrow("directory does not exist");
    expect(existsSync(dirname(path))).toBe(false);
  });
});

describe.skipIf(!existsSync("/proc/self/fd"))("a connection to a file is closed", () => {
  test("that was replaced while it was opened", async () => {
    const [path, other] = [await databaseWith("old"), await databaseWith("new")];
    afterOpening(() => {
      renameSync(path, `${path}.aside`);
      renameSync(other, path);
    });
    const { file } = openFile(path);
    expect([isOpen(path), isOpen(`${path}.aside`)]).toEqual([true, false]);
    file.close();
    expect(isOpen(path)).toBe(false);
  });

  test("that is no database", async () => {
    const path = join(await temporaryFolder(), "petstore.db");
    writeFileSync(path, "This is not a database. ".repeat(100));
    expect(() => openFile(path)).toThrow("file is not a database");
    expect(isOpen(path)).toBe(false);
  });
});

/** Has `act` run once the next file is opened, before the call of that number of a method: the very moment a race would hit. */
function afterOpening(act: () => void, method: "prepare" | "pragma" = "prepare", count = 1): void {
  let missing = count;
  const actual = Sqlite.prototype[method];
  const spy = vi.spyOn(Sqlite.prototype, method as "pragma").mockImplementation(function (this: unknown, ...words) {
    if (--missing === 0) {
      spy.mockRestore();
      act();
    }
    return Reflect.apply(actual, this, words) as unknown;
  });
  onTestFinished(() => spy.mockRestore());
}

/** A database with one animal, which nobody has open. */
async function databaseWith(name: string): Promise<string> {
  const path = join(await temporaryFolder(), "petstore.db");
  const db = openDatabase<Tables>(`file:${path}`);
  await migrate(db, MIGRATIONS);
  await db.insertInto("pets").values({ name, category_id: 1, status: "sold" }).execute();
  await db.destroy();
  return path;
}

/** Opens the file as the service does; what it then has open is at its path. */
function namesIn(path: string): unknown[] {
  const { file, isInPlace } = openFile(path, true);
  expect(isInPlace()).toBe(true);
  const names = file.prepare("select name from pets").pluck().all();
  file.close();
  return names;
}

/** Whether this process has the file open, as Linux tells. */
function isOpen(path: string): boolean {
  return readdirSync("/proc/self/fd").some((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`) === path;
    } catch {
      return false; // the one that reads the folder is closed by now
    }
  });
}

describe("the database, its log and what is copied of it are for their owner alone", () => {
  /** Files that a usual umask leaves readable for everybody. */
  const modesIn = async (folder: string): Promise<Record<string, string>> => {
    const names = (await readdir(folder)).filter((name) => name.includes(".db")).toSorted();
    const modes = names.map(async (name) => [name, ((await stat(join(folder, name))).mode & 0o777).toString(8)]);
    return Object.fromEntries(await Promise.all(modes)) as Record<string, string>;
  };
  const ALL = { "petstore.db": "600", "petstore.db-shm": "600", "petstore.db-wal": "600" };

  test("when the service makes them", async () => {
    const folder = await temporaryFolder();
    await startProgram(folder);
    expect(await modesIn(join(folder, "data"))).toEqual(ALL);
  });

  test("when they were readable by others, left by a process that was killed, and when they are behind a link", async () => {
    const folder = await temporaryFolder();
    const data = join(folder, "data");
    const killed = await startProgram(folder);
    await killed.stop("SIGKILL");
    for (const name of Object.keys(ALL)) await chmod(join(data, name), 0o664);
    const env = { DATABASE_URL: `file:${data}/petstore.db`, PORT: "1" };
    expect((await run(["doctor"], env)).stdout).toContain(`chmod 600 ${data}/petstore.db`);
    const program = await startProgram(folder);
    expect(await modesIn(data)).toEqual(ALL);
    expect((await run(["doctor"], env)).stdout).not.toContain("chmod");
    await program.stop();

    const [link, target] = [join(folder, "link.db"), join(folder, "else/petstore.db")];
    await mkdir(join(folder, "else"));
    await symlink(target, link);
    expect((await run(["migrate"], { DATABASE_URL: `file:${link}` })).code).toBe(0);
    expect(await modesIn(join(folder, "else"))).toEqual({ "petstore.db": "600" });
  });

  test("while a backup is still being made, and what a restore sets aside", async () => {
    const folder = await temporaryFolder();
    const [path, copy] = [join(folder, "petstore.db"), join(folder, "copy.db")];
    const env = { DATABASE_URL: `file:${path}` };
    await run(["migrate"], env);
    const file = new Sqlite(path);
    onTestFinished(() => void file.close());
    file.exec(
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000) " +
        "insert into pets (name, category_id, status) select 'Rex', 1, 'sold' from n",
    );
    const copied = run(["backup", copy], env);
    const partial = `${copy}.petstore-partial`;
    await expect.poll(() => existsSync(partial), { interval: 1 }).toBe(true);
    expect((await stat(partial)).mode & 0o777).toBe(0o600);
    expect((await copied).code).toBe(0);
    file.close();
    await chmod(path, 0o644);
    expect((await run(["restore", copy], env)).code).toBe(0);
    const modes = await modesIn(folder);
    expect(Object.keys(modes)).toHaveLength(3); // the database, the backup, and what was set aside
    expect(new Set(Object.values(modes))).toEqual(new Set(["600"]));
  });
});
