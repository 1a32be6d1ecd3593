import { spawnSync } from "node:child_process";
import fs, {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { temporaryDisk, temporaryFolder } from "@platform/test-support/temporary";
import Sqlite from "better-sqlite3";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openDatabase } from "../src/database.ts";
import { backup } from "../src/maintenance/backup.ts";
import { migrate } from "../src/migrations.ts";
import { restrictToOwner, makeFile, openFile, rejectOldSqlite } from "../src/sqlite/sqlite.file.ts";
import { MIGRATIONS, type Tables } from "./things.ts";

/** A program that restores, because a test cannot wait for a moment between two calls of SQLite. */
const RESTORER = join(import.meta.dirname, "programs/restorer.ts");

test.each(["3.51.3", "3.51.10", "3.54.1", "4.0.0"])("SQLite %s is used", (version) => {
  expect(() => rejectOldSqlite(version)).not.toThrow();
});

test.each(["3.7.0", "3.46.1", "3.51.2"])("SQLite %s, which may damage a database, is refused", (version) => {
  expect(() => rejectOldSqlite(version)).toThrow(`SQLite ${version} may damage a database; 3.51.3 or later is needed`);
});

describe("a file that is replaced while it is opened", () => {
  test("by a restore: the backup is opened", async () => {
    const path = await databaseWith("old");
    backup(await databaseWith("backup"), `${path}.copy`, MIGRATIONS);
    afterOpening(() => {
      const { status, stderr } = spawnSync(process.execPath, [RESTORER, path, `${path}.copy`]);
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
    expect(() => openFile(path, { mustExist: true })).toThrow("unable to open database file");
    expect(existsSync(path)).toBe(false);
    const { file, isAtPath } = openFile(path);
    expect(isAtPath()).toBe(true);
    file.close();
    expect(existsSync(path)).toBe(true);
  });

  test("by nothing: no folder is made for a file that has to exist", async () => {
    const path = join(await temporaryFolder(), "missing", "petstore.db");
    expect(() => openFile(path, { mustExist: true })).toThrow("directory does not exist");
    expect(existsSync(dirname(path))).toBe(false);
  });
});

describe("a file is for its owner alone", () => {
  test("when it is made, and nothing is made over another", async () => {
    const path = join(await temporaryFolder(), "petstore.db");
    makeFile(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    writeFileSync(path, "mine");
    makeFile(path);
    expect(statSync(path).size).toBe(4);
    expect(() => makeFile(join(path, "below"))).toThrow("ENOTDIR");
  });

  test("with its log, whatever others have allowed; what the owner has not is not given", async () => {
    const path = join(await temporaryFolder(), "petstore.db");
    const files = [path, `${path}-wal`, `${path}-shm`];
    for (const [index, file] of files.entries()) writeFileSync(file, "", { mode: [0o644, 0o660, 0o604][index]! });
    chmodSync(path, 0o444);
    restrictToOwner(path);
    expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o400, 0o600, 0o600]);
    rmSync(`${path}-shm`);
    restrictToOwner(path);
    expect(existsSync(`${path}-shm`)).toBe(false);
  });

  test("unless its disk is read-only, which is for the reader to meet", async (context) => {
    const folder = await temporaryDisk(context, 2 ** 20);
    const path = join(folder, "petstore.db");
    writeFileSync(path, "", { mode: 0o644 });
    chmodSync(path, 0o644);
    spawnSync("mount", ["-o", "remount,ro", folder]);
    expect(() => restrictToOwner(path)).not.toThrow();
    expect(statSync(path).mode & 0o777).toBe(0o644);
  });

  test.each(["EPERM", "ENOENT", "EROFS"])("as far as the system lets it, which says %s", (code) => {
    expect(() => restrictToOwner(refusing(code))).not.toThrow();
  });

  test.each(["EIO", undefined])("and fails where the system says %s", (code) => {
    expect(() => restrictToOwner(refusing(code))).toThrow("refused");
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

/** The path of a file that others may read, whose mode cannot be changed for a reason. */
function refusing(code: string | undefined): string {
  const path = join(mkdtempSync(join(tmpdir(), "petstore-")), "petstore.db");
  writeFileSync(path, "");
  chmodSync(path, 0o644);
  const spy = vi.spyOn(fs, "chmodSync").mockImplementation(() => {
    throw Object.assign(new Error("refused"), { code });
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
    rmSync(dirname(path), { recursive: true });
  });
  return path;
}

/** Runs `act` after the next file is opened, before the nth call of a method, which is where a race would occur. */
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

/** Creates a database with one thing and closes it. */
async function databaseWith(name: string): Promise<string> {
  const path = join(await temporaryFolder(), "petstore.db");
  const db = openDatabase<Tables>(`file:${path}`);
  await migrate(db, MIGRATIONS);
  await db.insertInto("things").values({ name, size: 1 }).execute();
  await db.destroy();
  return path;
}

/** Opens the file as the service does and expects the open file to be at its path. */
function namesIn(path: string): unknown[] {
  const { file, isAtPath } = openFile(path, { mustExist: true });
  expect(isAtPath()).toBe(true);
  const names = file.prepare("select name from things").pluck().all();
  file.close();
  return names;
}

/** Whether this process has the file open, according to `/proc`. */
function isOpen(path: string): boolean {
  return readdirSync("/proc/self/fd").some((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`) === path;
    } catch {
      return false; // the one that reads the folder is closed by now
    }
  });
}
