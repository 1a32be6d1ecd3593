import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { basename, isAbsolute, join } from "node:path";
import { SERVICE } from "@openapi-operations/command-line/name";
import { isOwnerOnly, needsPosix } from "@platform/test-support/machine";
import { temporaryFolder } from "@platform/test-support/temporary";
import Sqlite from "better-sqlite3";
import { Command } from "commander";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { DatabaseError } from "../src/database-error.ts";
import { addBackupCommands, resultOf } from "../src/maintenance/backup.commands.ts";
import { addCopyCommand } from "../src/maintenance/copy.ts";
import { migrate } from "../src/migrations.ts";
import { insertThing, listThings, MIGRATIONS, opened, OPTIONS, SCHEMA } from "./things.ts";

const CUP = { name: "cup", size: 1 };

describe("backup", () => {
  test("copies the database, and prints the path of the copy", async () => {
    const { folder, path, db } = await filled();
    const copy = join(folder, "copy.db");
    expect(await run(path, "backup", copy)).toEqual([`The database is backed up to ${copy}.`]);
    expect(await listThings(opened(`file:${copy}`))).toEqual(await listThings(db));
    expect(isOwnerOnly(copy)).toBe(true);
    expect((await readdir(folder)).filter((name) => name.includes("partial"))).toEqual([]);
  });

  test("names the copy whose folder is missing", async () => {
    const { folder, path } = await filled();
    const copy = join(folder, "missing", "copy.db");
    await expect(run(path, "backup", copy)).rejects.toMatchObject({
      message: expect.stringContaining(`${path} cannot be copied to ${copy} (ENOENT`) as string,
      cause: { code: "ENOENT" },
    });
  });

  test("names a copy whose name is too long", async (context) => {
    needsPosix(context, "code of its own for a long name");
    const { folder, path } = await filled();
    await expect(run(path, "backup", join(folder, "x".repeat(250)))).rejects.toMatchObject({
      message: expect.stringContaining("cannot be written (ENAMETOOLONG") as string,
      cause: { code: "ENAMETOOLONG" },
    });
  });

  test("resolves a path from the current folder", async () => {
    const { folder, path } = await filled();
    vi.spyOn(process, "cwd").mockReturnValue(folder);
    onTestFinished(() => void vi.restoreAllMocks());
    await run(path, "backup", "copy.db");
    expect(existsSync(join(folder, "copy.db"))).toBe(true);
  });

  test("overwrites no file, and leaves no copy of a file that is not a database", async () => {
    const { folder, path } = await filled();
    const [taken, copy, text] = [join(folder, "taken"), join(folder, "copy.db"), join(folder, "text")];
    for (const file of [taken, text]) await writeFile(file, "mine ".repeat(1_000));
    const before = await readdir(folder);
    await expect(run(path, "backup", taken)).rejects.toThrow(
      new DatabaseError(`${taken} exists. Name a file that does not, or remove it.`),
    );
    await expect(run(text, "backup", copy)).rejects.toThrow(
      new DatabaseError(`${text} cannot be copied to ${copy} (file is not a database).`),
    );
    expect(await readdir(folder)).toEqual(before);
  });

  test("rejects PostgreSQL", async () => {
    const program = backupProgram("postgres://root:hunter2@localhost/things");
    await expect(program.parseAsync(["backup", "copy.db"], { from: "user" })).rejects.toThrow(
      new DatabaseError("Only SQLite databases can be backed up. For PostgreSQL, use its own tools, such as pg_dump."),
    );
  });
});

describe("restore", () => {
  test("restores a backup, and prints the path of the replaced file and the number of lost rows", async () => {
    const { folder, path, db } = await filled();
    const copy = join(folder, "copy.db");
    await run(path, "backup", copy);
    for (const size of [2, 3]) await insertThing(db, { ...CUP, size });
    await db.destroy();
    const [first, ...others] = await run(path, "restore", copy);
    const [, aside] = /^.*copy\.db is restored\. The replaced file is now (\S+)\.$/.exec(first!)!;
    expect(isAbsolute(aside!) && existsSync(aside!)).toBe(true);
    expect(others).toEqual([
      "Nothing is kept. No id is reused.",
      expect.stringMatching(/^Lost, added between the start and 1970-01-01T00:00:00\.000Z: 2 things\.$/),
    ]);
    expect(await listThings(opened(`file:${path}`))).toHaveLength(1);
    expect(await insertThing(opened(`file:${path}`), CUP)).toMatchObject({ id: 4 });
  });

  test.each([
    [1_000, 2_000, "1970-01-01T00:00:01.000Z and 1970-01-01T00:00:02.000Z"],
    [1_000, undefined, "1970-01-01T00:00:01.000Z and 1970-01-01T00:00:01.000Z"],
    [undefined, 2_000, "the start and 1970-01-01T00:00:02.000Z"],
  ])("names the times between which rows were added and lost: from %s to %s", (from, to, times) => {
    const kept = { summary: "Nothing is kept.", added: {}, loss: { rows: { things: 1 }, from, to } };
    const [, , last] = resultOf("b.db", { aside: "a.db", kept }, OPTIONS);
    expect(last).toBe(`Lost, added between ${times}: 1 thing.`);
  });

  test("names the lost rows of each table", () => {
    const tables = { ...OPTIONS.tables, mugs: { key: ["id"], noun: ["mug", "mugs"] as const } };
    const loss = { rows: { things: 1, mugs: 2 }, from: 1_000, to: 2_000 };
    const kept = { summary: "Nothing is kept.", added: {}, loss };
    const [, , last] = resultOf("b.db", { aside: "a.db", kept }, { ...OPTIONS, tables });
    expect(last).toMatch(/: 1 thing, 2 mugs\.$/);
  });

  test("prints that nothing was added since the backup", async () => {
    const { folder, path, db } = await filled();
    const copy = join(folder, "copy.db");
    await run(path, "backup", copy);
    await db.destroy();
    expect((await run(path, "restore", copy)).at(-1)).toBe("Nothing was added since the backup.");
  });

  test("requires --force if the database is missing, and names the loss", async () => {
    const { folder, path } = await filled();
    const copy = join(folder, "copy.db");
    await run(path, "backup", copy);
    const elsewhere = join(folder, "elsewhere/things.db");
    await expect(run(elsewhere, "restore", copy)).rejects.toThrow(
      "things.db cannot be read (it is damaged or lost). After a restore, all data is lost, and new rows may " +
        "reuse ids of lost rows. To restore it nonetheless, add --force.",
    );
    expect(existsSync(elsewhere)).toBe(false);
    expect(await run(elsewhere, "restore", copy, "--force")).toEqual([`${copy} is restored.`]);
    expect(isOwnerOnly(elsewhere)).toBe(true);
    expect(await readdir(join(folder, "elsewhere"))).toEqual(["things.db"]);
    const help = backupProgram("file:x")
      .commands.find((command) => command.name() === "restore")!
      .helpInformation();
    expect(help.replaceAll(/\s+/g, " ")).toContain(
      "--force also replace a database that cannot be read, though all data is lost",
    );
  });

  test.each(["-wal", "-shm", "-journal"])("renames a %s file that has no database", async (suffix) => {
    const { folder, path } = await filled();
    const copy = join(folder, "copy.db");
    await run(path, "backup", copy);
    await mkdir(join(folder, "lost"));
    const lost = join(folder, "lost/things.db");
    await writeFile(lost + suffix, "left");
    const [first, second] = await run(lost, "restore", copy, "--force");
    expect(first).toContain(`is restored. The replaced file is now ${lost}.before-`);
    expect(first).toMatch(new RegExp(`Z${suffix}\\.$`));
    expect(second).toBe("The replaced file could not be read. Look. New rows may reuse ids of lost rows.");
    const names = await readdir(join(folder, "lost"));
    expect(names).toHaveLength(2);
    expect(new Sqlite(lost, { readonly: true }).prepare("select count(*) from things").pluck().get()).toBe(1);
  });
});

test("the help of backup and restore names the file", () => {
  const usages = backupProgram("file:x").commands.map((command) => `${command.name()} ${command.usage()}`);
  expect(usages).toEqual(["backup [options] [file]", "backups [options] [command]", "restore [options] [file]"]);
});

describe("copy", () => {
  test("copies every row, and prints a line for each table", async () => {
    const { folder, path, db } = await filled();
    const to = join(folder, "to.db");
    const lines = await copying("--from", ` file:${path} `, "--to", `file:${to}`);
    expect(lines).toEqual([
      expect.stringMatching(/^things: 1 rows, checksum [0-9a-f]{64}$/),
      expect.stringMatching(/^api_keys: 0 rows, checksum 0{64}$/),
      expect.stringMatching(/^labels: 0 rows, checksum 0{64}$/),
      "Both databases contain the same data. Start the service with DATABASE_URL set to the new one.",
    ]);
    expect(existsSync(`${to}-wal`)).toBe(false); // the file alone holds all data
    expect(await listThings(opened(`file:${to}`))).toEqual(await listThings(db));
  });

  test("prints JSON with --json", async () => {
    const { folder, path } = await filled();
    const [text] = await copying("--from", `file:${path}`, "--to", `file:${folder}/to.db`, "--json");
    expect(JSON.parse(text!)).toMatchObject([{ table: "things", rows: 1 }, { rows: 0 }, { rows: 0 }]);
  });

  test("rejects a missing source, a URL that is not a database URL, and the same database twice", async () => {
    const { folder, path } = await filled();
    const none = `file:${folder}/none.db`;
    const from = `file:${path}`;
    await expect(copying("--from", none, "--to", from)).rejects.toThrow(
      new DatabaseError("There is no database at the path that --from names."),
    );
    expect(existsSync(join(folder, "none.db"))).toBe(false);
    for (const wrong of ["mysql://root:hunter2@localhost/p", "file:", path]) {
      await expect(copying("--from", from, "--to", wrong)).rejects.toThrow(
        `error: option '--to <url>' argument is invalid. Give it as file:data/${SERVICE.name}.db or postgres://user:password@host:5432/${SERVICE.name}.`,
      );
    }
    const same = "error: options '--from' and '--to' name the same database.";
    await expect(copying("--from", from, "--to", `file:${folder}/../${basename(folder)}/things.db`)).rejects.toThrow(
      same,
    );
  });

  test("declares its options", () => {
    const [command] = copyProgram().commands;
    expect(command!.name()).toBe("copy");
    expect(command!.options.map(({ flags, mandatory }) => [flags, mandatory])).toEqual([
      ["--from <url>", true],
      ["--to <url>", true],
      ["--json", false],
    ]);
  });
});

/** Returns an open database with one thing. */
async function filled() {
  const folder = await temporaryFolder();
  const path = join(folder, "things.db");
  const db = opened(`file:${path}`);
  await migrate(db, MIGRATIONS);
  await insertThing(db, CUP);
  return { folder, path, db };
}

function backupProgram(url: string): Command {
  const program = new Command().exitOverride();
  addBackupCommands(program, {
    ...SCHEMA,
    keptData: OPTIONS.keptData,
    databaseUrl: () => url,
    backupFolder: () => undefined,
  });
  return program;
}

function copyProgram(): Command {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  addCopyCommand(program, SCHEMA);
  return program;
}

/** Runs a command on the database at a path and returns the printed lines. */
const run = (path: string, ...args: string[]): Promise<string[]> => printed(backupProgram(`file:${path}`), args);

const copying = (...args: string[]): Promise<string[]> => printed(copyProgram(), ["copy", ...args]);

async function printed(program: Command, args: string[]): Promise<string[]> {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  try {
    await program.parseAsync(args, { from: "user" });
    return log.mock.calls.map(([line]) => String(line));
  } finally {
    log.mockRestore();
  }
}
