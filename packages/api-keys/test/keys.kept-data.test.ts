import { type KeptRows, type KeptData, factsOf, readReplaced, writeKept } from "@openapi-operations/storage/kept-data";
import { memoryDatabase } from "@openapi-operations/storage/testing";
import type Sqlite from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { keptApiKeys } from "../src/keys.kept-data.ts";

const KEYS = `
  create table api_keys (id integer primary key autoincrement, name text, prefix text, hash text not null unique, scopes text,
    created_at integer, expires_at integer, revoked_at integer, last_used_at integer, rotated_at integer);`;
const AUDIT = `
  create table audit (id integer primary key autoincrement, at integer, action text, key_id integer, key_name text,
    key_prefix text, actor text);`;

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

/** Returns the expected result for these numbers of newly ended keys and added keys. */
function expected(ended: number, added: number) {
  const keys = ended === 1 ? "1 API key" : `${ended} API keys`;
  return { summary: `Revoked or rotated since the backup, and still so: ${keys}.`, added: { api_keys: added } };
}

/** Carries ended keys over from a database with these rows, as a restore does. */
function kept(replaced: string[], restored: Sqlite.Database): KeptRows | undefined {
  let outcome: KeptRows | undefined;
  const read: KeptData["read"] = (file) => {
    const write = keptApiKeys.read(file);
    return (into) => (outcome = write(into));
  };
  const options = { tables: {}, keptData: { ...keptApiKeys, read } };
  writeKept(restored, readReplaced(memoryDatabase(KEYS, AUDIT, ...replaced), factsOf(restored), options));
  return outcome;
}

describe("ended keys of a replaced database", () => {
  test("are kept with every column and their audit trail", () => {
    const restored = memoryDatabase(KEYS, AUDIT);
    const rows = [key(1, "a"), key(2, "b", { revoked: 60, used: 55, expires: 99 }), key(3, "c", { rotated: 70 })];
    kept([...rows, ending(10, "issue", 2), ending(60, "revoke", 2)], restored);
    const b = { name: "b key", prefix: "pst_", hash: "b", scopes: "pets:read", created_at: 10, expires_at: 99 };
    const found = restored.prepare<[], { id: number }>("select * from api_keys order by id").all();
    expect(found[0]).toEqual({ id: 2, ...b, revoked_at: 60, last_used_at: 55, rotated_at: null });
    expect(found.map(({ id }) => id)).toEqual([2, 3]);
    expect(trailOf(restored)).toEqual([
      [10, "issue", 2, "n", "p", "ops"],
      [60, "revoke", 2, "n", "p", "ops"],
    ]);
  });

  test("have null for a column that the table of an older version does not have", () => {
    const replaced = memoryDatabase(KEYS, key(1, "a", { revoked: 60 }), "alter table api_keys drop column rotated_at");
    const restored = memoryDatabase(KEYS, AUDIT);
    expect(keptApiKeys.read(replaced)(restored)).toEqual(expected(1, 1));
    expect(keysIn(restored)).toEqual([[1, "a", null, 60, null]]);
  });

  test("are empty for a database without tables", () => {
    expect(keptApiKeys.read(memoryDatabase())(memoryDatabase(KEYS, AUDIT))).toEqual(expected(0, 0));
  });
});

describe("the kept data in a backup", () => {
  test("ends the backup's keys at their original times, and counts the newly ended ones", () => {
    const restored = memoryDatabase(KEYS, AUDIT, key(1, "a"), key(2, "b", { expires: 80 }), key(3, "c"), key(4, "d"));
    restored.exec([key(5, "e", { revoked: 30 }), key(6, "f", { rotated: 30 })].join(";"));
    const ended = [
      key(1, "a", { revoked: 60, expires: 90 }),
      key(2, "b", { rotated: 61, expires: 70 }),
      key(3, "c", { revoked: 62, rotated: 63 }),
      key(4, "d"),
      key(5, "e", { revoked: 64 }),
      key(6, "f", { rotated: 65 }),
    ];
    expect(kept(ended, restored)).toEqual(expected(3, 0));
    expect(keysIn(restored)).toEqual([
      [1, "a", 90, 60, null],
      [2, "b", 70, null, 61],
      [3, "c", null, 62, 63],
      [4, "d", null, null, null],
      [5, "e", null, 30, null],
      [6, "f", null, null, 30],
    ]);
    expect(kept(ended, restored)).toEqual(expected(0, 0));
  });

  test("revokes a key that is rotated in the backup, and rotates one that is revoked there", () => {
    const restored = memoryDatabase(KEYS, AUDIT, key(1, "a", { rotated: 30 }), key(2, "b", { revoked: 30 }));
    const ended = [key(1, "a", { rotated: 30, revoked: 60 }), key(2, "b", { revoked: 30, rotated: 61 })];
    expect(kept(ended, restored)).toEqual(expected(2, 0));
    expect(keysIn(restored)).toEqual([
      [1, "a", null, 60, 30],
      [2, "b", null, 30, 61],
    ]);
  });

  test("does not extend the expiry of a key in the backup", () => {
    const restored = memoryDatabase(KEYS, AUDIT, key(1, "a", { expires: 70 }), key(2, "b", { expires: 70 }));
    kept([key(1, "a", { revoked: 60, expires: 80 }), key(2, "b", { revoked: 60 })], restored);
    expect(keysIn(restored)).toMatchObject([
      [1, "a", 70, 60, null],
      [2, "b", 70, 60, null],
    ]);
  });

  test("adds unknown keys, with a new id if the old one is taken, and their trail with that id", () => {
    const restored = memoryDatabase(KEYS, AUDIT, key(1, "a"), key(2, "other"));
    const replaced = [key(2, "b", { revoked: 60, used: 55 }), key(7, "c", { rotated: 61 })];
    const trail = [ending(60, "revoke", 2), ending(61, "rotate", 7), ending(12, "issue", 7)];
    expect(kept([...replaced, ...trail], restored)).toEqual(expected(2, 2));
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

  test("adds no existing entry of the trail, and none for a key that has already ended in the backup", () => {
    const restored = memoryDatabase(KEYS, AUDIT, key(1, "a", { rotated: 30 }), key(2, "b", { revoked: 31 }));
    restored.exec([ending(30, "rotate", 1), ending(40, "revoke", 2)].join(";"));
    const replaced = [key(1, "a", { rotated: 30, revoked: 60 }), key(2, "b", { revoked: 31 })];
    const trail = [ending(30, "rotate", 1), ending(30, "revoke", 1), ending(60, "rotate", 1), ending(31, "revoke", 2)];
    expect(kept([...replaced, ...trail], restored)).toEqual(expected(1, 0));
    expect(trailOf(restored).map((entry) => (entry as unknown[]).slice(0, 3))).toEqual([
      [30, "rotate", 1],
      [40, "revoke", 2],
      [30, "revoke", 1],
      [60, "rotate", 1],
    ]);
  });

  test("changes nothing if one write fails", () => {
    const restored = memoryDatabase(KEYS, AUDIT, key(1, "a"));
    restored.exec("create trigger refused before insert on audit begin select raise(abort, 'refused'); end");
    const ended = [key(1, "a", { revoked: 60 }), ending(60, "revoke", 1)];
    expect(() => kept(ended, restored)).toThrow("refused");
    expect(keysIn(restored)).toEqual([[1, "a", null, null, null]]);
  });
});
