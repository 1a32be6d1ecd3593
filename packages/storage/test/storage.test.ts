import { describe, expect, test } from "vitest";
import { findThing, insertThing, listThings, opened, temporaryStorage } from "./things.ts";

const CUP = { name: "cup", size: 1 };

describe("write", () => {
  test("resolves only once another connection can read the row", async () => {
    const { write, url } = await temporaryStorage();
    const other = opened(url);
    const things = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const thing = await write((trx) => insertThing(trx, CUP));
        return { thing, found: await findThing(other, thing.id) };
      }),
    );
    expect(things.map(({ found }) => found)).toEqual(things.map(({ thing }) => thing));
  });

  test("rejects and stores nothing if its function throws, and other writes succeed", async () => {
    const { write, db } = await temporaryStorage();
    const results = await Promise.allSettled([
      write((trx) => insertThing(trx, { ...CUP, name: "first" })),
      write(async (trx) => {
        await insertThing(trx, { ...CUP, name: "taken back" });
        throw new Error("no");
      }),
      write((trx) => insertThing(trx, { ...CUP, name: "last" })),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect((await listThings(db)).map(({ name }) => name).toSorted()).toEqual(["first", "last"]);
  });

  test("reports each commit once, with its number of writes", async () => {
    const sizes: number[] = [];
    const { write } = await temporaryStorage((size) => sizes.push(size));
    const add = () => write((trx) => insertThing(trx, CUP));
    await add();
    expect(sizes).toEqual([1]);
    await add();
    expect(sizes).toEqual([1, 1]);
    await write(
      (trx) => insertThing(trx, CUP),
      () => false,
    );
    expect(sizes).toEqual([1, 1]); // nothing was stored
    await Promise.all([
      ...Array.from({ length: 5 }, add),
      write(() => Promise.reject(new Error("no"))).catch(() => {}),
      write(
        (trx) => insertThing(trx, CUP),
        () => false,
      ),
    ]);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(7);
  });

  test("returns the result of an unsuccessful function and stores nothing of it; other writes succeed", async () => {
    const { write, db } = await temporaryStorage();
    const add = (name: string) => write((trx) => insertThing(trx, { ...CUP, name }));
    const failing = write(
      async (trx) => ({ isLast: true, thing: await insertThing(trx, { ...CUP, name: "taken back" }) }),
      ({ isLast }) => !isLast,
    );
    const results = await Promise.all([add("first"), failing, add("last")]);
    expect(results[1]).toMatchObject({ isLast: true, thing: { name: "taken back" } });
    const names = async () => (await listThings(db)).map(({ name }) => name).toSorted();
    expect(await names()).toEqual(["first", "last"]);
    const kept = await write(
      (trx) => insertThing(trx, { ...CUP, name: "kept" }),
      ({ name }) => name === "kept",
    );
    expect(kept).toMatchObject({ name: "kept" });
    expect(await names()).toEqual(["first", "kept", "last"]);
  });
});
