import { statfsSync, truncateSync, writeFileSync } from "node:fs";
import { chmod, copyFile, mkdir, open, readdir, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { SERVICE } from "@openapi-operations/command-line/name";
import { needsPosix } from "@platform/test-support/machine";
import { temporaryDisk, temporaryFolder } from "@platform/test-support/temporary";
import Sqlite from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../src/database.ts";
import { examineDatabase, examineLog } from "../src/maintenance/examine.ts";
import { migrate } from "../src/migrations.ts";
import { MIGRATIONS } from "./things.ts";

describe("the database", () => {
  const MIB = 2 ** 20;
  const READ_AND_WRITE = "Make sure that this user may read and write it; if it is damaged, stop the service and run";

  describe("examineDatabase, for SQLite", () => {
    test("reports a missing file, and creates neither the file nor its folder", async () => {
      const folder = await temporaryFolder();
      const path = join(folder, "data/deep/petstore.db");
      expect(await examineDatabase(`file:${path}`, MIGRATIONS)).toEqual({
        database: { found: `none yet at ${path}` },
        disk: { found: expect.stringMatching(new RegExp(`^\\d+ MiB free at .*${basename(folder)}$`)) },
      });
      expect(await readdir(folder)).toEqual([]);
    });

    test("reports a removed file if its log is left", async () => {
      const path = join(await temporaryFolder(), "petstore.db");
      await writeFile(`${path}-wal`, "");
      expect((await examineDatabase(`file:${path}`, MIGRATIONS)).database).toEqual({
        found: `none at ${path}, though its log is there: it was moved or removed`,
        remedy: `Put it back; if it is lost, stop the service and run \`${SERVICE.name} restore <backup>\`.`,
      });
    });

    test("reports an intact file, the version of SQLite and the migrations", async () => {
      const path = await migrated();
      const { database, migrations } = await examineDatabase(`file:${path}`, MIGRATIONS);
      expect(database).toEqual({ found: `${path} is intact, SQLite ${sqliteVersion()}` });
      expect(migrations).toEqual({ found: "all applied" });
    });

    test("does not change the file", async () => {
      const path = await migrated();
      const before = await stat(path);
      await examineDatabase(`file:${path}`, MIGRATIONS);
      expect(await stat(path)).toMatchObject({ mtimeMs: before.mtimeMs, size: before.size });
      expect(new Sqlite(path, { readonly: true }).pragma("journal_mode", { simple: true })).toBe("wal");
    });

    test("reports missing migrations and unknown ones", async () => {
      const path = await migrated();
      const [first, ...later] = Object.keys(MIGRATIONS);
      const [earlier, newer] = [{ [first!]: MIGRATIONS[first!]! }, { ...MIGRATIONS, "9999_more": MIGRATIONS[first!]! }];
      expect((await examineDatabase(`file:${path}`, newer)).migrations).toEqual({
        found: "to be applied: 9999_more",
        remedy: `Run \`${SERVICE.name} migrate\`, or start the service, which does the same.`,
      });
      for (const [since, stopping] of [
        [first!, "Run "],
        ["9999_more", "Stop the processes of versions before 9999_more, which cannot serve afterwards. Then run "],
      ] as const) {
        const dropping = { ...newer, "9999_no_more": { ...MIGRATIONS[first!]!, servedBy: { since } } };
        expect((await examineDatabase(`file:${path}`, dropping)).migrations).toEqual({
          found: "to be applied: 9999_more, 9999_no_more",
          remedy: `${stopping}\`${SERVICE.name} migrate\`, or start the service, which does the same.`,
        });
      }
      expect((await examineDatabase(`file:${path}`, earlier)).migrations).toEqual({
        found: `all applied, and later ones that this program can serve: ${later.join(", ")}`,
      });
      const file = new Sqlite(path);
      file.exec("alter table kysely_migration drop column served_by").close(); // as earlier versions
      expect((await examineDatabase(`file:${path}`, earlier)).migrations).toEqual({
        found: `unknown to this program: ${later.join(", ")}`,
        remedy: "Run the version that made it, or a later one.",
      });
    });

    test("reports every migration of an empty file as missing", async () => {
      const path = join(await temporaryFolder(), "petstore.db");
      await writeFile(path, "", { mode: 0o600 });
      expect((await examineDatabase(`file:${path}`, MIGRATIONS)).migrations).toMatchObject({
        found: `to be applied: ${Object.keys(MIGRATIONS).join(", ")}`,
      });
    });

    test.for([0o640, 0o604])("reports a file with the mode 0%o, which others may read", async (mode, context) => {
      needsPosix(context, "file modes");
      const path = await migrated();
      await chmod(path, mode);
      expect((await examineDatabase(`file:${path}`, MIGRATIONS)).database).toEqual({
        found: `${path} is intact, SQLite ${sqliteVersion()}, but users other than its owner may read it`,
        remedy: `Run: chmod 600 ${path}`,
      });
    });

    test.each([
      ["is not a database", "This is not a database. ".repeat(400), "file is not a database"],
      ["is a folder", undefined, "unable to open database file|disk I/O error"],
    ])("reports a path that %s", async (_what, text, message) => {
      const path = join(await temporaryFolder(), "petstore.db");
      await (text === undefined ? mkdir(path) : writeFile(path, text));
      const { database, migrations } = await examineDatabase(`file:${path}`, MIGRATIONS);
      expect(database).toEqual({
        found: expect.stringMatching(new RegExp(`petstore\\.db cannot be used \\((${message})\\)$`)),
        remedy: expect.stringContaining(READ_AND_WRITE),
      });
      expect(migrations).toBeUndefined();
    });

    test("reports a damaged page", async () => {
      const path = await migrated();
      const file = new Sqlite(path);
      const page = file
        .prepare("select rootpage from sqlite_master where name = 'things_size'")
        .pluck()
        .get() as number;
      file.close();
      const handle = await open(path, "r+");
      await handle.write(Buffer.alloc(4096, 0xff), 0, 4096, (page - 1) * 4096);
      await handle.close();
      const { database } = await examineDatabase(`file:${path}`, MIGRATIONS);
      expect(database.found).toMatch(/ cannot be used \(.*Tree.*\)$/s);
      expect(database.remedy).toContain(READ_AND_WRITE);
    });

    test("requires room for a second copy, and gives this remedy first if the disk is full", async (context) => {
      const folder = await temporaryDisk(context, 3 * MIB);
      const from = await migrated({ isOpen: true });
      for (const suffix of ["", "-wal"]) await copyFile(from + suffix, join(folder, `petstore.db${suffix}`));
      await expect(writeFile(join(folder, "ballast"), Buffer.alloc(3 * MIB))).rejects.toThrow("ENOSPC");
      const remedy = "Free some space: at least 101 MiB are needed.";
      const url = `file:${folder}/petstore.db`;
      expect(await examineDatabase(url, MIGRATIONS)).toMatchObject({
        database: { found: expect.stringContaining("cannot be used"), remedy },
        disk: { found: `0 MiB free at ${folder}`, remedy },
      });
      for (const name of ["ballast", "petstore.db-wal"]) await rm(join(folder, name));
      await writeFile(join(folder, "petstore.db"), "no database".repeat(1_000));
      expect(await examineDatabase(url, MIGRATIONS)).toMatchObject({
        database: { remedy: expect.stringContaining(READ_AND_WRITE) }, // more room would not repair the file
        disk: { remedy },
      });
    });

    test("reports the free space", async () => {
      const path = await migrated();
      const { disk } = await examineDatabase(`file:${path}`, MIGRATIONS);
      const { bavail, bsize } = statfsSync(path);
      const [, mebibytes] = /^(\d+) MiB free at /.exec(disk!.found)!;
      expect(Math.abs(Number(mebibytes) - (bavail * bsize) / MIB)).toBeLessThan(1_024); // other programs write at the same time
    });
  });

  /** Creates a database with every migration. With `isOpen`, it stays open until the test ends, to keep its log. */
  async function migrated({ isOpen = false } = {}): Promise<string> {
    const path = join(await temporaryFolder(), "petstore.db");
    const db = openDatabase(`file:${path}`);
    await migrate(db, MIGRATIONS);
    if (isOpen) onTestFinished(() => db.destroy());
    else await db.destroy();
    return path;
  }

  function sqliteVersion(): string {
    using file = closing(new Sqlite(":memory:"));
    return String(file.database.prepare("select sqlite_version()").pluck().get());
  }

  function closing(database: Sqlite.Database) {
    return { database, [Symbol.dispose]: () => void database.close() };
  }
});

describe("the log", () => {
  test.each([
    [undefined, "0 MiB", false],
    [1, "1 MiB", false],
    [2 ** 30 - 1, "1024 MiB", false],
    [2 ** 30, "1024 MiB", true],
  ])("examineLog reports the size of the log: %s bytes", async (bytes, size, hasRemedy) => {
    const database = join(await temporaryFolder(), "things.db");
    if (bytes !== undefined) {
      writeFileSync(`${database}-wal`, "");
      truncateSync(`${database}-wal`, bytes);
    }
    expect(examineLog(database)).toEqual({
      found: `${size} that another program moves into the database`,
      ...(hasRemedy && {
        remedy: "Make sure that this program, such as Litestream, is running. Otherwise the log fills the disk.",
      }),
    });
  });
});
