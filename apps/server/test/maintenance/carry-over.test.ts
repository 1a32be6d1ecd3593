import Sqlite from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { carryOver, type Facts, factsOf, readReplaced } from "../../src/maintenance/carry-over.ts";

const KEYS = `
  create table api_keys (id integer primary key autoincrement, name text, prefix text, hash text not null unique, scopes text,
    created_at integer, expires_at integer, revoked_at integer, last_used_at integer, rotated_at integer);`;
const AUDIT = `
  create table audit (id integer primary key autoincrement, at integer, action text, key_id integer, key_name text,
    key_prefix text, actor text);`;
const PETS = "create table pets (id integer primary key autoincrement, name text, created_at integer);";
const ANSWERS = "create table idempotency_keys (key text primary key, created_at integer);";

/** A database in memory, with these tables and rows. */
function database(...statements: string[]): Sqlite.Database {
  const file = new Sqlite(":memory:");
  onTestFinished(() => void file.close());
  return file.exec(statements.join(";\n"));
}

function key(
  id: number,
  hash: string,
  times: Partial<Record<"expires" | "revoked" | "used" | "rotated", number>> = {},
) {
  const { expires = null, revoked = null, used = null, rotated = null } = times;
  const values = [id, `'${hash} key'`, "'pst_'", `'${hash}'`, "'pets:read'", 10, expires, revoked, used, rotated];
  return `insert into api_keys values (${values.map(String).join(", ")})`;
}

function ending(at: number, action: string, keyId: number): string {
  return `insert into audit (at, action, key_id, key_name, key_prefix, actor) values (${at}, '${action}', ${keyId}, 'n', 'p', 'ops')`;
}

const keysIn = (file: Sqlite.Database) =>
  file.prepare("select id, hash, expires_at, revoked_at, rotated_at from api_keys order by id").raw().all();
const trailOf = (file: Sqlite.Database) =>
  file.prepare("select at, action, key_id, key_name, key_prefix, actor from audit order by id").raw().all();

describe("the facts of a database", () => {
  test("hold the highest id that each numbered table has given, its rows deleted or its count forgotten", () => {
    const file = database(
      PETS,
      KEYS,
      ANSWERS,
      "insert into pets (id) values (3), (8)",
      "delete from pets where id = 8",
    );
    expect(factsOf(file).lastIds).toEqual(
      new Map([
        ["pets", 8],
        ["api_keys", 0],
      ]),
    );
    file.exec("delete from sqlite_sequence");
    expect(factsOf(file).lastIds.get("pets")).toBe(3);
  });

  test.each([
    ["at", AUDIT, ending(90, "issue", 1)],
    ["created_at", ANSWERS, "insert into idempotency_keys values ('k', 90)"],
    ["revoked_at", KEYS, key(1, "a", { revoked: 90 })],
    ["rotated_at", KEYS, key(1, "a", { rotated: 90 })],
    ["last_used_at", KEYS, key(1, "a", { used: 90 })],
  ])("hold the latest time, in %s", (_, table, row) => {
    expect(factsOf(database(PETS, table, "insert into pets values (1, 'Rex', 20)", row)).lastTime).toBe(90);
  });

  test("hold no time that has not come yet, and none of a database without rows", () => {
    expect(factsOf(database(KEYS, key(1, "a", { expires: 90 }))).lastTime).toBe(10);
    expect(factsOf(database(KEYS, PETS)).lastTime).toBeUndefined();
  });

  test("are those of the service's own tables", () => {
    const migrations = "create table kysely_migration (id integer primary key autoincrement, at integer)";
    const file = database(migrations, "insert into kysely_migration values (5, 90)");
    expect(factsOf(file)).toEqual({ lastIds: new Map(), lastTime: undefined });
  });
});

describe("what is read of the database that is replaced", () => {
  const lastIds = new Map([
    ["pets", 2],
    ["api_keys", 1],
  ]);
  const backup: Facts = { lastIds, lastTime: 50 };

  test("counts what came after the backup, and says between which times", () => {
    const file = database(PETS, KEYS, ANSWERS);
    file.exec("insert into pets (id, created_at) values (1, 40), (2, 50), (3, 60), (4, 70), (5, 80)");
    file.exec("insert into idempotency_keys values ('a', 50), ('b', 51)").exec(key(1, "a")).exec(key(2, "b"));
    expect(readReplaced(file, backup).loss).toEqual({ pets: 3, apiKeys: 1, answers: 1, from: 50, to: 80 });
    const empty: Facts = { lastIds: new Map(), lastTime: undefined };
    expect(readReplaced(file, empty).loss).toEqual({ pets: 5, apiKeys: 2, answers: 2, from: undefined, to: 80 });
    const nothing = { pets: 0, apiKeys: 0, answers: 0, from: 50, to: undefined };
    expect(readReplaced(database(), backup).loss).toEqual(nothing);
  });

  test("holds the keys that have ended, with every column, and the audit trail", () => {
    const file = database(KEYS, AUDIT, key(1, "a"), key(2, "b", { revoked: 60, used: 55, expires: 99 }));
    file.exec([key(3, "c", { rotated: 70 }), ending(10, "issue", 2), ending(60, "revoke", 2)].join(";"));
    const { endedKeys, trail, ...facts } = readReplaced(file, backup);
    const b = { name: "b key", prefix: "pst_", hash: "b", scopes: "pets:read", created_at: 10, expires_at: 99 };
    expect(endedKeys[0]).toEqual({ id: 2, ...b, revoked_at: 60, last_used_at: 55, rotated_at: null });
    expect(endedKeys.map(({ id }) => id)).toEqual([2, 3]);
    const entry = { key_id: 2, key_name: "n", key_prefix: "p", actor: "ops" };
    expect(trail).toEqual([
      { at: 10, action: "issue", ...entry },
      { at: 60, action: "revoke", ...entry },
    ]);
    expect(facts).toMatchObject({
      lastIds: new Map([
        ["api_keys", 3],
        ["audit", 2],
      ]),
      lastTime: 70,
    });
  });

  test("has no time where a table of an older version has no column for it", () => {
    const file = database(KEYS, key(1, "a", { revoked: 60 }), "alter table api_keys drop column rotated_at");
    expect(readReplaced(file, backup).endedKeys).toMatchObject([{ hash: "a", revoked_at: 60, rotated_at: null }]);
  });
});

describe("what is carried over into a backup", () => {
  const carried = (replaced: string[], restored: Sqlite.Database): ReturnType<typeof carryOver> =>
    carryOver(readReplaced(database(PETS, KEYS, AUDIT, ...replaced), factsOf(restored)), restored);

  test("raises the next ids of its tables, also of one that has given none, and lowers none", () => {
    const restored = database(PETS, KEYS, AUDIT, key(9, "a"));
    const replaced = ["insert into pets (id) values (41)", "create table later (id integer primary key autoincrement)"];
    carried([...replaced, key(4, "a"), "insert into later values (7)"], restored);
    const ids = restored.prepare("select name, seq from sqlite_sequence order by name").raw().all();
    expect(ids).toEqual([
      ["api_keys", 9],
      ["audit", 0],
      ["pets", 41],
    ]);
    restored.exec("insert into pets (name) values ('Rex')");
    expect(restored.prepare("select max(id) from pets").pluck().get()).toBe(42);
  });

  test("ends the keys that it has, at the times when they ended, and says of how many that is news", () => {
    const restored = database(PETS, KEYS, AUDIT, key(1, "a"), key(2, "b", { expires: 80 }), key(3, "c"), key(4, "d"));
    restored.exec([key(5, "e", { revoked: 30 }), key(6, "f", { rotated: 30 })].join(";"));
    const ended = [
      key(1, "a", { revoked: 60, expires: 90 }),
      key(2, "b", { rotated: 61, expires: 70 }),
      key(3, "c", { revoked: 62, rotated: 63 }),
      key(4, "d"),
      key(5, "e", { revoked: 64 }),
      key(6, "f", { rotated: 65 }),
    ];
    expect(carried(ended, restored)).toEqual({ ended: 3, added: 0 });
    expect(keysIn(restored)).toEqual([
      [1, "a", 90, 60, null],
      [2, "b", 70, null, 61],
      [3, "c", null, 62, 63],
      [4, "d", null, null, null],
      [5, "e", null, 30, null],
      [6, "f", null, null, 30],
    ]);
    expect(carried(ended, restored)).toEqual({ ended: 0, added: 0 });
  });

  test("ends in addition a key that was rotated and is revoked, and one that was revoked and is rotated", () => {
    const restored = database(PETS, KEYS, AUDIT, key(1, "a", { rotated: 30 }), key(2, "b", { revoked: 30 }));
    const ended = [key(1, "a", { rotated: 30, revoked: 60 }), key(2, "b", { revoked: 30, rotated: 61 })];
    expect(carried(ended, restored)).toEqual({ ended: 2, added: 0 });
    expect(keysIn(restored)).toEqual([
      [1, "a", null, 60, 30],
      [2, "b", null, 30, 61],
    ]);
  });

  test("lets no key expire later than the backup has it", () => {
    const restored = database(PETS, KEYS, AUDIT, key(1, "a", { expires: 70 }), key(2, "b", { expires: 70 }));
    carried([key(1, "a", { revoked: 60, expires: 80 }), key(2, "b", { revoked: 60 })], restored);
    expect(keysIn(restored)).toMatchObject([
      [1, "a", 70, 60, null],
      [2, "b", 70, 60, null],
    ]);
  });

  test("adds a key that it does not know, under its id where that is free, and its trail under the id it has then", () => {
    const restored = database(PETS, KEYS, AUDIT, key(1, "a"), key(2, "other"));
    const replaced = [key(2, "b", { revoked: 60, used: 55 }), key(7, "c", { rotated: 61 })];
    const trail = [ending(60, "revoke", 2), ending(61, "rotate", 7), ending(12, "issue", 7)];
    expect(carried([...replaced, ...trail], restored)).toEqual({ ended: 2, added: 2 });
    expect(keysIn(restored)).toEqual([
      [1, "a", null, null, null],
      [2, "other", null, null, null],
      [7, "c", null, null, 61],
      [8, "b", null, 60, null],
    ]);
    expect(trailOf(restored)).toEqual([
      [60, "revoke", 8, "n", "p", "ops"],
      [61, "rotate", 7, "n", "p", "ops"],
      [12, "issue", 7, "n", "p", "ops"],
    ]);
    const b = restored.prepare("select * from api_keys where hash = 'b'").get();
    expect(b).toMatchObject({ name: "b key", prefix: "pst_", scopes: "pets:read", created_at: 10, last_used_at: 55 });
  });

  test("repeats no entry of the trail that it has, nor one of a key whose end is no news", () => {
    const restored = database(PETS, KEYS, AUDIT, key(1, "a", { rotated: 30 }), key(2, "b", { revoked: 31 }));
    restored.exec([ending(30, "rotate", 1), ending(40, "revoke", 2)].join(";"));
    const replaced = [key(1, "a", { rotated: 30, revoked: 60 }), key(2, "b", { revoked: 31 })];
    const trail = [ending(30, "rotate", 1), ending(30, "revoke", 1), ending(60, "rotate", 1), ending(31, "revoke", 2)];
    expect(carried([...replaced, ...trail], restored)).toEqual({ ended: 1, added: 0 });
    expect(trailOf(restored).map((entry) => (entry as unknown[]).slice(0, 3))).toEqual([
      [30, "rotate", 1],
      [40, "revoke", 2],
      [30, "revoke", 1],
      [60, "rotate", 1],
    ]);
  });

  test("is all of it or nothing", () => {
    const restored = database(PETS, KEYS, AUDIT, key(1, "a"));
    restored.exec("create trigger refused before insert on audit begin select raise(abort, 'refused'); end");
    const ended = [key(1, "a", { revoked: 60 }), ending(60, "revoke", 1), "insert into pets (id) values (41)"];
    expect(() => carried(ended, restored)).toThrow("refused");
    expect(keysIn(restored)).toEqual([[1, "a", null, null, null]]);
    expect(factsOf(restored).lastIds.get("pets")).toBe(0);
  });
});
