import { memoryDatabase } from "../src/testing/temporary.ts";
import type Sqlite from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { type KeptData, type DatabaseFacts, factsOf, readReplaced, writeKept } from "../src/maintenance/kept-data.ts";
import type { AnyTables } from "../src/registration.ts";

const PETS = "create table pets (id integer primary key autoincrement, name text, created_at integer);";
const OWNERS = `
  create table owners (id integer primary key autoincrement, created_at integer, expires_at integer, revoked_at integer,
    last_used_at integer, rotated_at integer);`;
const VISITS = "create table visits (id integer primary key autoincrement, at integer);";
const ANSWERS = "create table answers (key text primary key, created_at integer);";

const TABLES: AnyTables = {
  pets: { key: ["id"], noun: ["animal", "animals"] },
  owners: { key: ["id"], noun: ["owner", "owners"] },
  visits: { key: ["id"] },
  answers: { key: ["key"], noun: ["answer", "answers"] },
};

/** A `KeptData` that keeps nothing by default. */
function keeping(read: KeptData["read"] = () => () => ({ summary: "Nothing.", added: {} })) {
  return { tables: TABLES, keptData: { read, unread: { risk: "", consequence: "", remedy: "" } } };
}

describe("factsOf", () => {
  test("returns the highest id of each numbered table, even if the row or the counter was deleted", () => {
    const file = memoryDatabase(
      PETS,
      OWNERS,
      ANSWERS,
      "insert into pets (id) values (3), (8)",
      "delete from pets where id = 8",
    );
    expect(factsOf(file).lastIds).toEqual(
      new Map([
        ["pets", 8],
        ["owners", 0],
      ]),
    );
    file.exec("delete from sqlite_sequence");
    expect(factsOf(file).lastIds.get("pets")).toBe(3);
  });

  test.each([
    ["at", VISITS, "insert into visits (at) values (90)"],
    ["created_at", ANSWERS, "insert into answers values ('k', 90)"],
    ["revoked_at", OWNERS, "insert into owners (revoked_at) values (90)"],
    ["rotated_at", OWNERS, "insert into owners (rotated_at) values (90)"],
    ["last_used_at", OWNERS, "insert into owners (last_used_at) values (90)"],
  ])("returns the latest time in the column %s", (_, table, row) => {
    expect(factsOf(memoryDatabase(PETS, table, "insert into pets values (1, 'Rex', 20)", row)).lastTime).toBe(90);
  });

  test("ignores columns that are no times, such as attempts", () => {
    const table = "create table logins (created_at integer, attempts integer, format integer)";
    expect(factsOf(memoryDatabase(table, "insert into logins values (10, 90, 90)")).lastTime).toBe(10);
  });

  test("ignores expiry times, and returns no time for a database without rows", () => {
    expect(
      factsOf(memoryDatabase(OWNERS, "insert into owners (created_at, expires_at) values (10, 90)")).lastTime,
    ).toBe(10);
    expect(factsOf(memoryDatabase(OWNERS, PETS)).lastTime).toBeUndefined();
  });

  test("ignores tables that are not declared", () => {
    const migrations = "create table kysely_migration (id integer primary key autoincrement, at integer)";
    const file = memoryDatabase(migrations, "insert into kysely_migration values (5, 90)");
    expect(factsOf(file)).toEqual({ lastIds: new Map(), lastTime: undefined });
  });
});

describe("readReplaced", () => {
  const lastIds = new Map([
    ["pets", 2],
    ["owners", 1],
  ]);
  const backup: DatabaseFacts = { lastIds, lastTime: 50 };

  test("counts the rows added after the backup, and returns their period", () => {
    const file = memoryDatabase(PETS, OWNERS, ANSWERS);
    file.exec("insert into pets (id, created_at) values (1, 40), (2, 50), (3, 60), (4, 70), (5, 80)");
    file.exec("insert into answers values ('a', 50), ('b', 51)").exec("insert into owners (id) values (1), (2)");
    const lossAfter = (facts: DatabaseFacts, of: Sqlite.Database) => readReplaced(of, facts, keeping()).loss;
    expect(lossAfter(backup, file)).toEqual({ rows: { pets: 3, owners: 1, answers: 1 }, from: 50, to: 80 });
    const empty: DatabaseFacts = { lastIds: new Map(), lastTime: undefined };
    expect(lossAfter(empty, file)).toEqual({ rows: { pets: 5, owners: 2, answers: 2 }, from: undefined, to: 80 });
    const nothing = { rows: { pets: 0, owners: 0, answers: 0 }, from: 50, to: undefined };
    expect(lossAfter(backup, memoryDatabase())).toEqual(nothing);
  });

  test("returns the facts of the replaced database", () => {
    const file = memoryDatabase(OWNERS, VISITS, "insert into owners (id, rotated_at) values (3, 70)");
    file.exec("insert into visits (at) values (10), (60)");
    const ids = [
      ["owners", 3],
      ["visits", 2],
    ] as const;
    expect(readReplaced(file, backup, keeping())).toMatchObject({ lastIds: new Map(ids), lastTime: 70 });
  });
});

describe("writeKept", () => {
  const kept = (replaced: string[], restored: Sqlite.Database, read?: KeptData["read"]) =>
    writeKept(restored, readReplaced(memoryDatabase(...replaced), factsOf(restored), keeping(read)));

  test("raises the next id of each table, even of an empty one, and lowers none", () => {
    const restored = memoryDatabase(PETS, OWNERS, VISITS, "insert into owners (id) values (9)");
    const later = ["create table later (id integer primary key autoincrement)", "insert into later values (7)"];
    const rows = ["insert into pets (id) values (41)", "insert into owners (id) values (4)"];
    kept([PETS, OWNERS, VISITS, ...rows, ...later], restored);
    const ids = restored.prepare("select name, seq from sqlite_sequence order by name").raw().all();
    expect(ids).toEqual([
      ["owners", 9],
      ["pets", 41],
      ["visits", 0],
    ]);
    restored.exec("insert into pets (name) values ('Rex')");
    expect(restored.prepare("select max(id) from pets").pluck().get()).toBe(42);
  });

  test("writes the kept rows, and does not count them as lost", () => {
    const restored = memoryDatabase(PETS, OWNERS);
    const rows = ["insert into pets (id) values (1), (2)", "insert into owners (id) values (1), (2), (3)"];
    const outcome = kept([PETS, OWNERS, ...rows], restored, (replaced) => {
      const ids = replaced.prepare<[], number>("select id from owners where id > 1").pluck().all();
      return (file) => {
        for (const id of ids) file.prepare("insert into owners (id) values (?)").run(id);
        return { summary: "Two owners stay.", added: { owners: ids.length } };
      };
    });
    expect(outcome).toMatchObject({ summary: "Two owners stay.", loss: { rows: { pets: 2, owners: 1, answers: 0 } } });
    expect(restored.prepare("select id from owners").pluck().all()).toEqual([2, 3]);
  });

  test("writes nothing if one write fails", () => {
    const restored = memoryDatabase(PETS, OWNERS);
    const failing: KeptData["read"] = () => (file) => {
      file.exec("insert into owners (id) values (1)");
      throw new Error("refused");
    };
    expect(() => kept([PETS, "insert into pets (id) values (41)"], restored, failing)).toThrow("refused");
    expect(restored.prepare("select id from owners").pluck().all()).toEqual([]);
    expect(factsOf(restored).lastIds.get("pets")).toBe(0);
  });
});
