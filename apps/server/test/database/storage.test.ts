import { describe, expect, test } from "vitest";
import { findPet, insertPet, insertPets, listPets } from "../../src/resources/pets/pets.repository.ts";
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
    const { write, writeEach } = await temporaryStorage((size) => sizes.push(size));
    await write((trx) => insertPet(trx, REX));
    expect(sizes).toEqual([1]);
    expect(await writeEach(insertPets, REX)).toMatchObject({ id: 2 });
    expect(sizes).toEqual([1, 1]);
    await Promise.all(Array.from({ length: 5 }, () => writeEach(insertPets, REX)));
    expect(sizes.reduce((sum, size) => sum + size)).toBe(7);
  });
});
