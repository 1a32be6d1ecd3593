import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { SERVICE } from "@openapi-operations/command-line/name";
import { temporaryFolder } from "@platform/test-support/temporary";
import { Command } from "commander";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { addBackupCommands } from "../src/maintenance/backup.commands.ts";
import { lockBackups } from "../src/maintenance/backup-folder.ts";
import { migrate } from "../src/migrations.ts";
import { type Database, insertThing, listThings, MIGRATIONS, opened, OPTIONS, SCHEMA } from "./things.ts";

const CUP = { name: "cup", size: 1 };
const POSTGRES = "Only SQLite databases can be backed up. For PostgreSQL, use its own tools, such as pg_dump.";
const [FIRST, SECOND] = [`${SERVICE.name}.2030-01-02T120000.000Z.db`, `${SERVICE.name}.2030-01-02T130000.000Z.db`];

beforeEach(() => {
  setHour(12);
  return () => {
    vi.useRealTimers();
    process.exitCode = undefined;
  };
});

describe("backup without a file", () => {
  test("makes a dated backup beside the database, or in the folder of the setting", async () => {
    const { path, folder } = await filled();
    expect(await run({ path }, "backup")).toEqual([
      `2030-01-02T12:00:00.000Z ${join(folder, "backups", FIRST)} is verified: 1 thing.`,
    ]);
    const elsewhere = join(folder, "else/where");
    await run({ path, backupFolder: elsewhere }, "backup");
    expect(readdirSync(elsewhere)).toContain(FIRST);
  });

  test("keeps as many as --keep says, and prints what it removes", async () => {
    const { path, folder } = await filled();
    await run({ path }, "backup", "--keep", "1");
    setHour(13);
    expect(await run({ path }, "backup", "--keep", "1")).toEqual([
      `2030-01-02T13:00:00.000Z ${join(folder, "backups", SECOND)} is verified: 1 thing.`,
      `2030-01-02T13:00:00.000Z ${join(folder, "backups", FIRST)} is removed.`,
    ]);
  });

  test("rejects a second command on the folder, and releases the folder after a failure", async () => {
    const { path, folder } = await filled();
    const release = lockBackups(join(folder, "backups"), path);
    await expect(run({ path }, "backup")).rejects.toThrow("Another process is making backups there. Stop it first.");
    release();
    await expect(run({ path: join(folder, "missing.db") }, "backup")).rejects.toThrow(/^No backup was made in /);
    await run({ path }, "backup");
  });

  test.each(["SIGTERM", "SIGINT"] as const)("repeats with --every until %s, also after a failure", async (signal) => {
    const { path, folder } = await filled();
    const errors = vi.spyOn(console, "error").mockImplementation(() => process.emit(signal));
    onTestFinished(() => errors.mockRestore());
    const running = run({ path: join(folder, "missing.db") }, "backup", "--every", "1s");
    expect(await running).toEqual([]);
    expect(errors.mock.calls).toEqual([
      [expect.stringMatching(/^2030-01-02T12:00:00\.000Z No backup was made in .*[/\\]backups\. .*$/)],
    ]);
    const log = vi.spyOn(console, "log").mockImplementation(() => void process.emit(signal));
    onTestFinished(() => log.mockRestore());
    await programOf({ path }).parseAsync(["backup", "--every", "24d"], { from: "user" });
    expect(log).toHaveBeenCalledOnce();
    await nextTurn();
    expect(existsSync(join(folder, "backups", FIRST))).toBe(true);
  });

  test.each([
    [["backup", "copy.db", "--every", "1h"], "options '--every' and '--keep' are for dated backups"],
    [["backup", "copy.db", "--keep", "1"], "options '--every' and '--keep' are for dated backups"],
    [["backup", "--every", "25d"], "Give at most 24d."],
    [["backup", "--every", "1"], "Give a whole number and one of s, m, h, d, w, such as 90d."],
    [["backup", "--keep", "0"], "Give a whole number of at least 1."],
    [["restore"], "name either a backup, or a time with option '--at'"],
    [["restore", "copy.db", "--at", "1h"], "name either a backup, or a time with option '--at'"],
    [["restore", "--at", "noon"], "Give a duration such as 24h or 7d"],
  ])("%j is a wrong usage", async (args, message) => {
    const { path } = await filled();
    await expect(run({ path }, ...args)).rejects.toThrow(message);
  });

  test.each([["backup"], ["backups list"], ["restore --at 1h"]])("%s rejects PostgreSQL", async (words) => {
    const program = programOf({ url: "postgres://localhost/things" });
    await expect(program.parseAsync(words.split(" "), { from: "user" })).rejects.toThrow(POSTGRES);
  });
});

describe("backups list", () => {
  test("verifies each backup and lists time, size, state and content", async () => {
    const { path, folder, db } = await filled();
    expect(await run({ path }, "backups", "list")).toEqual([`There are no backups in ${join(folder, "backups")}.`]);
    await run({ path }, "backup");
    await insertThing(db, CUP);
    setHour(13);
    await run({ path }, "backup");
    expect(await run({ path }, "backups", "list")).toEqual([
      expect.stringMatching(/^TIME +FILE +SIZE +STATE +CONTENT$/),
      expect.stringMatching(/^2030-01-02T12:00:00\.000Z  \S+T120000\.000Z\.db  [\d.]+ KiB  verified  1 thing$/),
      expect.stringMatching(/^2030-01-02T13:00:00\.000Z  \S+T130000\.000Z\.db  [\d.]+ KiB  verified  2 things$/),
    ]);
    expect(process.exitCode).toBeUndefined();
  });

  test("gives the reason why a backup is unusable, and fails", async () => {
    const { path, folder } = await filled();
    await run({ path }, "backup");
    writeFileSync(join(folder, "backups", SECOND), "This is not a database. ".repeat(100));
    const [, first, second] = await run({ path }, "backups", "list");
    expect([first, second]).toEqual([
      expect.stringMatching(/verified +1 thing$/),
      expect.stringMatching(/file is not a database$/),
    ]);
    expect(process.exitCode).toBe(1);
    expect(JSON.parse((await run({ path }, "backups", "list", "--json"))[0]!)).toEqual([
      {
        path: join(folder, "backups", FIRST),
        time: "2030-01-02T12:00:00.000Z",
        bytes: expect.any(Number),
        rows: { things: 1, labels: 0 },
      },
      {
        path: join(folder, "backups", SECOND),
        time: "2030-01-02T13:00:00.000Z",
        bytes: 2_400,
        problem: "file is not a database",
      },
    ]);
  });
});

describe("restore --at", () => {
  test.each([
    ["2030-01-02T12:00Z", 1],
    ["2030-01-02T12:59:59.999Z", 1],
    ["2030-01-02T13:00Z", 2],
    ["2031-01-01", 2],
  ])("restores the newest backup not later than %s", async (time, count) => {
    const { path, db } = await filled();
    await run({ path }, "backup");
    await insertThing(db, CUP);
    setHour(13);
    await run({ path }, "backup");
    await insertThing(db, CUP);
    await db.destroy();
    await run({ path }, "restore", "--at", time);
    expect(await listThings(opened(`file:${path}`))).toHaveLength(count);
  });

  test("names the folder if there is no such backup", async () => {
    const { path, folder } = await filled();
    const message = `${join(folder, "backups")} has no backup of 2030-01-02T11:59:00.000Z or earlier. See \`${SERVICE.name} backups list\`.`;
    await expect(run({ path }, "restore", "--at", "2030-01-02T11:59Z")).rejects.toThrow(message);
    await run({ path }, "backup");
    await expect(run({ path }, "restore", "--at", "2030-01-02T11:59Z")).rejects.toThrow(message);
  });
});

function setHour(hour: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2030, 0, 2, hour) });
}

interface Place {
  path?: string;
  url?: string;
  backupFolder?: string;
}

function programOf({ path, url = `file:${path}`, backupFolder }: Place): Command {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  const { keptData } = OPTIONS;
  addBackupCommands(program, { ...SCHEMA, keptData, databaseUrl: () => url, backupFolder: () => backupFolder });
  return program;
}

/** Runs a command and returns the printed lines. */
async function run(place: Place, ...args: string[]): Promise<string[]> {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  try {
    await programOf(place).parseAsync(args, { from: "user" });
    return log.mock.calls.map(([line]) => String(line));
  } finally {
    log.mockRestore();
  }
}

/** Returns an open database with one thing. */
async function filled(): Promise<{ folder: string; path: string; db: Database }> {
  const folder = await temporaryFolder();
  const path = join(folder, "things.db");
  const db = opened(`file:${path}`);
  await migrate(db, MIGRATIONS);
  await insertThing(db, CUP);
  return { folder, path, db };
}
