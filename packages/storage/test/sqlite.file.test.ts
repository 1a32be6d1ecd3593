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
import { isOwnerOnly, needsPosix } from "@platform/test-support/machine";
import { temporaryDisk, temporaryFolder } from "@platform/test-support/temporary";
import Sqlite from "better-sqlite3";
import { sql } from "kysely";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { temporaryUrl } from "../src/testing/temporary.ts";
import { openDatabase } from "../src/database.ts";
import { backup } from "../src/maintenance/backup.ts";
import { migrate } from "../src/migrations.ts";
import { openStorage } from "../src/open-storage.ts";
import { makeFile, openFile, restrictToOwner } from "../src/sqlite/sqlite.file.ts";
import { pathOfFileUrl } from "../src/url.ts";
import { MIGRATIONS, opened, type Tables } from "./things.ts";

describe("the file", () => {
  /** A program that restores, because a test cannot await between two synchronous calls of SQLite. */
  const RESTORER = join(import.meta.dirname, "programs/restorer.ts");

  // Earlier versions may damage the file if two connections write and checkpoint: https://sqlite.org/wal.html#walresetbug
  test("better-sqlite3 has SQLite 3.51.3 or later", () => {
    const version = String(new Sqlite(":memory:").prepare("select sqlite_version()").pluck().get());
    expect("3.51.3".localeCompare(version, "en", { numeric: true })).toBeLessThanOrEqual(0);
  });

  describe("openFile, if the file is replaced or missing", () => {
    beforeEach((context) => needsPosix(context, "way to rename an open database"));

    test("opens the backup after a restore", async () => {
      const path = await databaseWith("old");
      backup(await databaseWith("backup"), `${path}.copy`, MIGRATIONS);
      afterOpening(() => {
        const { status, stderr } = spawnSync(process.execPath, [RESTORER, path, `${path}.copy`]);
        expect([status, String(stderr)]).toEqual([0, ""]);
      });
      expect(namesIn(path)).toEqual(["backup"]);
    });

    test.each([
      ["before the settings are made", 1],
      ["before the settings are compared", 7],
    ] as const)("opens the new file if it is moved to the path %s", async (_when, count) => {
      const [path, other] = [await databaseWith("old"), await databaseWith("new")];
      afterOpening(() => {
        renameSync(path, `${path}.aside`);
        for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
        renameSync(other, path);
      }, count);
      expect(namesIn(path)).toEqual(["new"]);
    });

    test("opens the new file if the old one is not a database", async () => {
      const [path, other] = [join(await temporaryFolder(), "petstore.db"), await databaseWith("new")];
      writeFileSync(path, "This is not a database. ".repeat(100));
      afterOpening(() => renameSync(other, path));
      expect(namesIn(path)).toEqual(["new"]);
    });

    test("rejects a missing file with mustExist, and creates it otherwise", async () => {
      const path = await databaseWith("old");
      afterOpening(() => rmSync(path));
      expect(() => openFile(path, { mustExist: true })).toThrow("unable to open database file");
      expect(existsSync(path)).toBe(false);
      const { file, isAtPath } = openFile(path);
      expect(isAtPath()).toBe(true);
      file.close();
      expect(existsSync(path)).toBe(true);
    });

    test("creates no folder with mustExist", async () => {
      const path = join(await temporaryFolder(), "missing", "petstore.db");
      expect(() => openFile(path, { mustExist: true })).toThrow("directory does not exist");
      expect(existsSync(dirname(path))).toBe(false);
    });
  });

  describe("only the owner can read and write the file", () => {
    beforeEach((context) => needsPosix(context, "file modes"));

    test("makeFile creates it with mode 600, and does not overwrite a file", async () => {
      const path = join(await temporaryFolder(), "petstore.db");
      makeFile(path);
      expect(isOwnerOnly(path)).toBe(true);
      writeFileSync(path, "mine");
      makeFile(path);
      expect(statSync(path).size).toBe(4);
      expect(() => makeFile(join(path, "below"))).toThrow("ENOTDIR");
    });

    test("restrictToOwner removes the permissions of others, also on the log, and adds none", async () => {
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

    test("restrictToOwner ignores a read-only disk", async (context) => {
      const folder = await temporaryDisk(context, 2 ** 20);
      const path = join(folder, "petstore.db");
      writeFileSync(path, "", { mode: 0o644 });
      chmodSync(path, 0o644);
      spawnSync("mount", ["-o", "remount,ro", folder]);
      expect(() => restrictToOwner(path)).not.toThrow();
      expect(statSync(path).mode & 0o777).toBe(0o644);
    });

    test.each(["EPERM", "ENOENT", "EROFS"])("restrictToOwner ignores the error %s", (code) => {
      expect(() => restrictToOwner(refusing(code))).not.toThrow();
    });

    test("restrictToOwner changes no mode that needs no change, because some disks refuse every change", () => {
      const path = refusing("ENOSYS");
      rmSync(path);
      makeFile(path);
      expect(() => restrictToOwner(path)).not.toThrow();
    });

    test.each(["EIO", undefined])("restrictToOwner fails with the error %s", (code) => {
      expect(() => restrictToOwner(refusing(code))).toThrow("refused");
    });
  });

  describe("openFile closes a file", () => {
    beforeEach((context) => context.skip(!existsSync("/proc/self/fd"), "the system has no /proc with the open files"));

    test("that was replaced while it was opened", async (context) => {
      needsPosix(context, "way to rename an open database");
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

    test("that is not a database", async () => {
      const path = join(await temporaryFolder(), "petstore.db");
      writeFileSync(path, "This is not a database. ".repeat(100));
      expect(() => openFile(path)).toThrow("file is not a database");
      expect(isOpen(path)).toBe(false);
    });
  });

  /** Returns the path of a file that others may read, and makes `chmodSync` fail with a code. */
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

  /** Runs `act` after the next file is opened, before the nth pragma, where a race would occur. */
  function afterOpening(act: () => void, count = 1): void {
    let missing = count;
    const actual = Reflect.get(Sqlite.prototype, "pragma") as (...words: unknown[]) => unknown;
    const spy = vi.spyOn(Sqlite.prototype, "pragma").mockImplementation(function (this: unknown, ...words) {
      if (--missing === 0) {
        spy.mockRestore();
        act();
      }
      return Reflect.apply(actual, this, words);
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
        return false; // the descriptor that read the folder is closed by now
      }
    });
  }

  test("openFile takes the rights of other users from a file, even if it must exist", async () => {
    const path = await databaseWith("mine");
    chmodSync(path, 0o644);
    openFile(path, { mustExist: true }).file.close();
    expect(isOwnerOnly(path)).toBe(true);
  });

  test("openFile notices a log that was replaced beside the same file", async (context) => {
    needsPosix(context, "way to rename an open database");
    const path = await databaseWith("mine");
    const { file, isAtPath } = openFile(path);
    expect(isAtPath()).toBe(true);
    renameSync(`${path}-wal`, `${path}-moved`);
    expect(isAtPath()).toBe(false);
    renameSync(`${path}-moved`, `${path}-wal`);
    expect(isAtPath()).toBe(true);
    file.close();
  });
});

describe("checkpoints", () => {
  /** More than the 1000 pages of 4 KiB at which SQLite moves the log into the file. */
  const FILLER = 5 * 2 ** 20;

  test.each([
    ["automatic", true],
    ["external", false],
  ] as const)("with %s checkpoints, a large commit moves the log into the file: %s", async (checkpoints, isMoved) => {
    const url = await temporaryUrl();
    await migrate(opened(url), MIGRATIONS);
    const storage = openStorage<Tables>(url, { checkpoints });
    onTestFinished(() => storage.destroy());
    await storage.write((trx) => sql`create table filler as select zeroblob(${FILLER}) as filler`.execute(trx));
    expect(statSync(pathOfFileUrl(url)).size > FILLER).toBe(isMoved);
  });
});
