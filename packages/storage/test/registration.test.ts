import { expect, expectTypeOf, test } from "vitest";
import { type Registration, tablesOf, type TablesOf, migrationsOf } from "../src/registration.ts";
import type { Storage } from "../src/storage.ts";

interface Bowls {
  bowls: { id: number; size: number };
}
interface Meals {
  meals: { bowl_id: number; at: number };
}

const bowls: Registration<Bowls> = { tables: { bowls: { key: ["id"] } } };
/** The registration of a resource without tables. */
const none: Registration<unknown> = { tables: {} };
const meals: Registration<Meals> = { tables: { meals: { key: ["bowl_id", "at"] } } };

test("tablesOf returns the tables of all registrations, in their order", () => {
  const all = [bowls, none, meals] as const;
  expect(Object.entries(tablesOf(all))).toEqual([
    ["bowls", { key: ["id"] }],
    ["meals", { key: ["bowl_id", "at"] }],
  ]);
  expectTypeOf<TablesOf<(typeof all)[number]>>().toEqualTypeOf<Bowls & Meals>();
});

test("a missing table, an unknown column, and a storage without a registered table do not compile", () => {
  const wrong = [
    // @ts-expect-error no key of `meals`
    { tables: { bowls: { key: ["id"] } } } satisfies Registration<Bowls & Meals>,
    // @ts-expect-error no column `name`
    { tables: { bowls: { key: ["name"] } } } satisfies Registration<Bowls>,
    // @ts-expect-error no columns `created_by` and `created_at`
    { tables: { bowls: { key: ["id"], addedBy: { operationId: "a", resource: "b" } } } } satisfies Registration<Bowls>,
  ];
  expect(wrong).toHaveLength(3);
  expectTypeOf<Storage<Bowls & Meals>>().toExtend<Storage<Bowls>>();
  expectTypeOf<Storage<Bowls>>().not.toExtend<Storage<Bowls & Meals>>();
});

test("migrationsOf sorts migrations by name, and rejects a duplicate name", () => {
  const up = async () => {};
  const added = { servedBy: "every version", up } as const;
  const before = { "0001_create_tables": added };
  const later: Registration<Bowls> = { ...bowls, migrations: { "1001_size": added, "1000_create_bowls": added } };
  const names = ["0001_create_tables", "1000_create_bowls", "1001_size"];
  expect(Object.keys(migrationsOf(before, [meals, later]))).toEqual(names);
  expect(() => migrationsOf(before, [later, { ...meals, migrations: { "1001_size": added } }])).toThrow(
    "Two migrations are named 1001_size. Give the later one another name.",
  );
});

test("migrationsOf rejects a migration that is served since no earlier one", () => {
  const up = async () => {};
  const first = { "0001_create_tables": { servedBy: "every version", up } } as const;
  const later = (since: string): Registration<Bowls> => ({
    ...bowls,
    migrations: { "1001_drop_size": { servedBy: { since }, up }, "1002_later": { servedBy: "every version", up } },
  });
  expect(Object.keys(migrationsOf(first, [later("0001_create_tables")]))).toHaveLength(3);
  for (const since of ["1000_unknown", "1001_drop_size", "1002_later"])
    expect(() => migrationsOf(first, [later(since)])).toThrow(
      `Migration 1001_drop_size is served since ${since}, which is no earlier migration. Name one.`,
    );
});
