import { expect, test } from "vitest";
import { type Columns, rowOf, selection } from "../src/columns.ts";
import { temporaryDatabase } from "./things.ts";

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
