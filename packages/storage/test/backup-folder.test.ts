import { chownSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SERVICE } from "@openapi-operations/command-line/name";
import { isOwnerOnly } from "@platform/test-support/machine";
import { temporaryDisk, temporaryFolder } from "@platform/test-support/temporary";
import Sqlite from "better-sqlite3";
import { sql } from "kysely";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { DatabaseError } from "../src/database-error.ts";
import { examineBackups } from "../src/maintenance/examine.ts";
import { backupsIn, lockBackups, makeBackup, newestBackup, verifyBackup } from "../src/maintenance/backup-folder.ts";
import { makeBackupsEvery } from "../src/maintenance/dated-backups.commands.ts";
import { migrate } from "../src/migrations.ts";
import { type Database, insertThing, MIGRATIONS, opened, SCHEMA } from "./things.ts";

const CUP = { name: "cup", size: 1 };
const NOON = Date.parse("2030-01-02T12:00:00Z");
const HOUR = 3_600_000;
/** Sizes of things that fill many pages. */
const MANY = Array.from({ length: 3_000 }, (_, index) => index + 1);

beforeEach(() => {
  setClock(NOON);
  return () => vi.useRealTimers();
});

describe("makeBackup", () => {
  test("makes a verified copy whose name contains the time, readable by its owner alone", async () => {
    const { path, folder } = await filled();
    expect(makeBackup(path, folder, SCHEMA)).toEqual({
      made: { path: join(folder, `${SERVICE.name}.2030-01-02T120000.000Z.db`), time: NOON },
      rows: { things: 1, labels: 0 },
      removed: [],
    });
    const [only, ...others] = backupsIn(folder);
    expect([only!.time, others]).toEqual([NOON, []]);
    expect(isOwnerOnly(only!.path)).toBe(true);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test("keeps the newest backups, and removes the others once the new one is verified", async () => {
    const { path, folder } = await filled();
    for (let hour = 0; hour < 4; hour++) {
      setClock(NOON + hour * HOUR);
      const { removed } = makeBackup(path, folder, SCHEMA, { keep: 2 });
      expect(removed.map(({ time }) => time)).toEqual(hour < 2 ? [] : [NOON + (hour - 2) * HOUR]);
    }
    expect(timesIn(folder)).toEqual([NOON + 2 * HOUR, NOON + 3 * HOUR]);
  });

  test("removes no backup for a clock that is set back, nor backups with a date in the future", async () => {
    const { path, folder } = await filled();
    for (const time of [NOON + HOUR, NOON + 2 * HOUR, NOON]) {
      setClock(time);
      makeBackup(path, folder, SCHEMA, { keep: 2 });
    }
    expect(timesIn(folder)).toEqual([NOON, NOON + HOUR, NOON + 2 * HOUR]);
    expect(newestBackup(folder, NOON)?.time).toBe(NOON);
  });

  test.each([
    ["a damaged database", (path: string) => writeFileSync(path, "This is not a database. ".repeat(500))],
    ["a missing database", (path: string) => rmSync(path)],
  ])("removes no backup after a failure: %s", async (_, harm) => {
    const { path, folder, db } = await filled();
    makeBackup(path, folder, SCHEMA, { keep: 1 });
    await db.destroy();
    harm(path);
    setClock(NOON + HOUR);
    expect(() => makeBackup(path, folder, SCHEMA, { keep: 1 })).toThrow(DatabaseError);
    expect(readdirSync(folder)).toEqual([`${SERVICE.name}.2030-01-02T120000.000Z.db`]);
  });

  test("rejects the database of another program", async () => {
    const { folder } = await filled();
    const other = join(await temporaryFolder(), "other.db");
    new Sqlite(other).exec("create table kysely_migration (name text)").close();
    expect(() => makeBackup(other, folder, SCHEMA)).toThrow("it is the database of another program");
    expect(readdirSync(folder)).toEqual([]);
  });

  test("removes what a killed command left, and no other file", async () => {
    const { path, folder } = await filled();
    const left = [".new", `.new.${SERVICE.name}-partial`, ".new-journal"].map(
      (end) => `${SERVICE.name}.2030-01-01T000000.000Z.db${end}`,
    );
    const others = [
      `${SERVICE.name}.db`,
      `x${SERVICE.name}.2030-01-01T000000.000Z.db.new`,
      "notes.txt",
      `${SERVICE.name}.2030.db.new`,
    ];
    for (const name of [...left, ...others]) writeFileSync(join(folder, name), "");
    makeBackup(path, folder, SCHEMA, { keep: 1 });
    expect(readdirSync(folder).toSorted()).toEqual([...others, `${SERVICE.name}.2030-01-02T120000.000Z.db`].toSorted());
  });

  test("says how much room is missing before it fills the disk", async (context) => {
    const { path, db } = await filled();
    const disk = await temporaryDisk(context, 2 ** 20);
    makeBackup(path, disk, SCHEMA, { keep: 1 });
    await sql`create table filler as select zeroblob(${2 ** 20}) as filler`.execute(db);
    const free = statfsSync(disk).bavail;
    setClock(NOON + HOUR);
    expect(() => makeBackup(path, disk, SCHEMA, { keep: 1 })).toThrow(
      /Free some space: 2 MiB are needed, and 1 MiB are free\.$/,
    );
    expect([statfsSync(disk).bavail, timesIn(disk)]).toEqual([free, [NOON]]);
  });

  test("leaves the earlier backup if the folder cannot be written", async () => {
    const { path, folder } = await filled();
    makeBackup(path, folder, SCHEMA, { keep: 1 });
    mkdirSync(join(folder, `${SERVICE.name}.2030-01-02T130000.000Z.db.new`)); // where the copy goes
    setClock(NOON + HOUR);
    expect(() => makeBackup(path, folder, SCHEMA, { keep: 1 })).toThrow(/^(No backup was made|.*EISDIR|.*directory)/);
    expect(timesIn(folder)).toEqual([NOON]);
  });
});

test("backupsIn returns backups by time, and no other file", async () => {
  const folder = await temporaryFolder();
  const names = ["2030-01-02T120000.000Z.db", "2029-12-31T235959.999Z.db", "2030-99-99T120000.000Z.db", "x.db"];
  for (const name of names) writeFileSync(join(folder, `${SERVICE.name}.${name}`), "");
  expect(timesIn(folder)).toEqual([Date.parse("2029-12-31T23:59:59.999Z"), NOON]);
  expect(newestBackup(folder, NOON - 1)?.time).toBe(Date.parse("2029-12-31T23:59:59.999Z"));
  expect(newestBackup(folder, 0)).toBeUndefined();
});

test("verifyBackup counts rows, also of an older version, and rejects a damaged page", async () => {
  const { path, folder, db } = await filled();
  await sql`insert into things (name, size) select 'cup', value from json_each(${JSON.stringify(MANY)})`.execute(db);
  await sql`drop table labels`.execute(db);
  const { made, rows } = makeBackup(path, folder, SCHEMA);
  expect(rows).toEqual({ things: 1 + MANY.length });
  expect(verifyBackup(made.path, SCHEMA)).toEqual(rows);
  damage(made.path);
  expect(() => verifyBackup(made.path, SCHEMA)).toThrow("it is damaged");
});

describe("lockBackups", () => {
  test("excludes a second holder until it is released", async () => {
    const { path } = await filled();
    const folder = join(await temporaryFolder(), "new", "backups");
    const release = lockBackups(folder, path);
    expect(() => lockBackups(folder, path)).toThrow(
      new DatabaseError(`Backups cannot be made in ${folder}. Another process is making backups there. Stop it first.`),
    );
    release();
    lockBackups(folder, path)();
  });

  test.runIf(process.getuid?.() === 0)("gives all files to the owner of the database if root runs it", async () => {
    const { path } = await filled();
    chownSync(path, 1_234, 2_345);
    const folder = join(await temporaryFolder(), "backups");
    lockBackups(folder, path)();
    makeBackup(path, folder, SCHEMA);
    const owners = [folder, ...readdirSync(folder).map((name) => join(folder, name))].map((file) => statSync(file).uid);
    expect(owners).toEqual([1_234, 1_234, 1_234]);
  });

  test("names a folder that cannot be made", async () => {
    const file = join(await temporaryFolder(), "file");
    writeFileSync(file, "");
    expect(() => lockBackups(join(file, "backups"), file)).toThrow(/^Backups cannot be made in .*ENOTDIR/);
  });
});

describe("makeBackupsEvery", () => {
  test.each([
    ["at once if there is none", undefined, 0],
    ["at once if the newest is too old", NOON - 2 * HOUR, 0],
    ["when the newest is as old as the interval", NOON - HOUR + 300, 200],
    ["at once if the newest has a date in the future", NOON + HOUR, 0],
  ])("makes the first backup %s", async (_, newest, atLeast) => {
    const folder = await temporaryFolder();
    if (newest !== undefined) {
      setClock(newest);
      writeFileSync(join(folder, `${SERVICE.name}.${new Date(newest).toISOString().replaceAll(":", "")}.db`), "");
      setClock(NOON);
    }
    const stopping = new AbortController();
    const start = performance.now();
    await makeBackupsEvery({ ...scheduleOf(folder, stopping), intervalMs: HOUR }, () => stopping.abort());
    const elapsed = performance.now() - start;
    expect(elapsed).toBeGreaterThanOrEqual(atLeast);
    expect(elapsed).toBeLessThan(60_000);
  });

  test("repeats at the interval, and sooner after a failure", async () => {
    const stopping = new AbortController();
    const errors: string[] = [];
    let calls = 0;
    const schedule = { ...scheduleOf(await temporaryFolder(), stopping), intervalMs: 50, retryMs: 1 };
    const onError = ({ message }: Error) => void errors.push(message);
    await makeBackupsEvery({ ...schedule, onError }, () => {
      calls++;
      if (calls === 2) throw new DatabaseError("The disk is full.");
      if (calls === 4) stopping.abort();
    });
    expect([calls, errors]).toEqual([4, ["The disk is full."]]);
  });

  test("ends with an error that is no failure of the database", async () => {
    const schedule = scheduleOf(await temporaryFolder(), new AbortController());
    const failing = makeBackupsEvery(schedule, () => {
      throw new TypeError("a mistake");
    });
    await expect(failing).rejects.toThrow("a mistake");
  });

  test("ends during a wait at the signal", async () => {
    const stopping = new AbortController();
    const make = vi.fn<() => void>(() => void setImmediate(() => stopping.abort()));
    await makeBackupsEvery(scheduleOf(await temporaryFolder(), stopping), make);
    expect(make).toHaveBeenCalledOnce();
  });
});

describe("examineBackups", () => {
  const WATCH = `Make sure that \`${SERVICE.name} backup --every\` is running, and read its output.`;

  test.each([
    [59 * 60_000, "59 min", undefined],
    [2 * HOUR, "2 h", WATCH],
    [50 * HOUR, "50 h", WATCH],
  ])("reports the age of the newest backup: %i ms", async (age, text, remedy) => {
    const { path, folder } = await filled();
    makeBackup(path, folder, SCHEMA);
    setClock(NOON + age);
    const found = `the newest, ${SERVICE.name}.2030-01-02T120000.000Z.db, is intact and ${text} old`;
    expect(examineBackups(folder, 2 * HOUR, SCHEMA)).toEqual({ found, ...(remedy !== undefined && { remedy }) });
  });

  test("reports a folder without a backup, a missing folder and an unusable backup", async () => {
    const { path, folder } = await filled();
    expect(examineBackups(folder, HOUR, SCHEMA)).toEqual({ found: `none in ${folder}`, remedy: WATCH });
    const missing = join(folder, "missing");
    expect(examineBackups(missing, HOUR, SCHEMA)).toEqual({
      found: expect.stringContaining(`${missing} cannot be read (ENOENT`),
      remedy: WATCH,
    });
    writeFileSync(makeBackup(path, folder, SCHEMA).made.path, "");
    expect(examineBackups(folder, HOUR, SCHEMA)).toEqual({
      found: expect.stringMatching(/^the newest, .*\.db, is unusable \(.*kysely_migration\)$/),
      remedy: `Make another with \`${SERVICE.name} backup\`, and check the disk.`,
    });
  });
});

function scheduleOf(folder: string, stopping: AbortController) {
  return { folder, intervalMs: HOUR, signal: stopping.signal, onError: () => expect.fail("a backup failed") };
}

/** Sets the clock, and leaves the timers. */
function setClock(time: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: time });
}

function timesIn(folder: string): number[] {
  return backupsIn(folder).map(({ time }) => time);
}

/** Overwrites a page in the middle of a file. */
function damage(path: string): void {
  const content = readFileSync(path);
  content.fill(0xa5, content.length / 2, content.length / 2 + 4_096);
  writeFileSync(path, content);
}

/** Returns an open database with one thing, and a folder for backups. */
async function filled(): Promise<{ path: string; folder: string; db: Database }> {
  const path = join(await temporaryFolder(), "things.db");
  const db = opened(`file:${path}`);
  await migrate(db, MIGRATIONS);
  await insertThing(db, CUP);
  return { path, folder: await temporaryFolder(), db };
}
