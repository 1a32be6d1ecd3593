import { describe, expect, expectTypeOf, test } from "vitest";
import { type Columns, rowOf, selection } from "../src/columns.ts";
import { migrationsOf, type Registration, tablesOf, type TablesOf } from "../src/registration.ts";
import type { Storage } from "../src/storage.ts";
import { temporaryDatabase } from "./things.ts";

describe("registrations", () => {
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
      {
        // @ts-expect-error no columns `created_by` and `created_at`
        tables: { bowls: { key: ["id"], addedBy: { operationId: "a", resource: "b" } } },
      } satisfies Registration<Bowls>,
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
        `The servedBy of migration 1001_drop_size is ${since}, which is not an earlier migration. Name one.`,
      );
  });
});

describe("columns", () => {
  interface NewThing {
    title: string;
    size: number;
  }

  interface ThingRow {
    id: number;
    name: string;
    size: number;
  }

  const NEW_THING = { title: "name", size: "size" } as const satisfies Columns<NewThing, ThingRow>;
  const THING = { ...NEW_THING, id: "id" } as const;

  test("fields are written to their columns and read from them", async () => {
    const db = await temporaryDatabase();
    const cup = { title: "cup", size: 1 };
    await db.insertInto("things").values(rowOf(NEW_THING, cup)).execute();
    const [thing] = await db.selectFrom("things").select(selection(THING)).execute();
    expect(thing satisfies (NewThing & { id: number }) | undefined).toStrictEqual({ id: 1, ...cup });
  });

  test("a field without a column, also an optional one, and one without a field do not compile", () => {
    const named: NewThing & { nickname?: string } = { title: "cup", size: 1, nickname: "Bo" };
    // @ts-expect-error: `nickname` has no column
    NEW_THING satisfies Columns<typeof named, ThingRow>;
    // @ts-expect-error: the contract has no field `size`
    ({ title: "name", size: "size" }) satisfies Columns<Omit<NewThing, "size">, ThingRow>;
    // @ts-expect-error: the table has no column `label`
    ({ title: "label", size: "size" }) satisfies Columns<NewThing, ThingRow>;
    // @ts-expect-error: `nickname` would be lost
    expect(rowOf(NEW_THING, named)).toStrictEqual({ name: "cup", size: 1 });
  });

  test("a value that no column holds does not compile", async () => {
    const db = await temporaryDatabase();
    const cup: Omit<NewThing, "size"> & { size: number | string } = { title: "cup", size: "large" };
    // @ts-expect-error: the column holds numbers
    await expect(db.insertInto("things").values(rowOf(NEW_THING, cup)).execute()).rejects.toThrow(/REAL|TEXT|integer/);
  });
});
