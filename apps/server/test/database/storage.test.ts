import { describe, expect, test } from "vitest";
import { findPet, insertPet, listPets } from "../../src/resources/pets/pets.repository.ts";
import { opened, temporaryStorage } from "../temporary.ts";

const REX = { name: "Rex", categoryId: 1, status: "available" } as const;

describe("write", () => {
  test("is answered only when another process sees it", async () => {
    const { write, url } = await temporaryStorage();
    const other = opened(url);
    const pets = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const pet = await write((trx) => insertPet(trx, REX));
        return { pet, found: await findPet(other, pet.id) };
      }),
    );
    expect(pets.map(({ found }) => found)).toEqual(pets.map(({ pet }) => pet));
  });

  test("fails alone, keeping nothing, when its work throws", async () => {
    const { write, db } = await temporaryStorage();
    const results = await Promise.allSettled([
      write((trx) => insertPet(trx, { ...REX, name: "first" })),
      write(async (trx) => {
        await insertPet(trx, { ...REX, name: "taken back" });
        throw new Error("no");
      }),
      write((trx) => insertPet(trx, { ...REX, name: "last" })),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect((await listPets(db, { limit: 10 })).map(({ name }) => name).toSorted()).toEqual(["first", "last"]);
  });

  test("tells of each commit once, with the units that it held", async () => {
    const sizes: number[] = [];
    const { write } = await temporaryStorage((size) => sizes.push(size));
    const add = () => write((trx) => insertPet(trx, REX));
    await add();
    expect(sizes).toEqual([1]);
    await add();
    expect(sizes).toEqual([1, 1]);
    await Promise.all([
      ...Array.from({ length: 5 }, add),
      write(() => Promise.reject(new Error("no"))).catch(() => {}),
      write(
        (trx) => insertPet(trx, REX),
        () => false,
      ),
    ]);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(7);
  });

  test("gives the result of work without success, and keeps nothing of it alone", async () => {
    const { write, db } = await temporaryStorage();
    const add = (name: string) => write((trx) => insertPet(trx, { ...REX, name }));
    const failing = write(
      async (trx) => ({ isSold: true, pet: await insertPet(trx, { ...REX, name: "taken back" }) }),
      ({ isSold }) => !isSold,
    );
    const results = await Promise.all([add("first"), failing, add("last")]);
    expect(results[1]).toMatchObject({ isSold: true, pet: { name: "taken back" } });
    const names = async () => (await listPets(db, { limit: 10 })).map(({ name }) => name).toSorted();
    expect(await names()).toEqual(["first", "last"]);
    const kept = await write(
      (trx) => insertPet(trx, { ...REX, name: "kept" }),
      ({ name }) => name === "kept",
    );
    expect(kept).toMatchObject({ name: "kept" });
    expect(await names()).toEqual(["first", "kept", "last"]);
  });
});
