import { describe, expect, test } from "vitest";
import { findPet, insertPet, listPets } from "../../src/resources/pets/pets.repository.ts";
import { temporaryDatabase } from "../temporary.ts";

const REX = { name: "Rex", categoryId: 1, status: "available" } as const;

describe("insertPet", () => {
  test.each([
    "Rex",
    " Rex ",
    "\u{feff}Rex",
    "e\u0301",
    "\u00e9",
    "𝒳 🐕‍🦺",
    "'; drop table pets --",
    "%_\\",
    "x".repeat(255),
  ])("stores the name %j unchanged", async (name) => {
    const db = await temporaryDatabase();
    const pet = await insertPet(db, { ...REX, name });
    expect(pet).toStrictEqual({ id: 1, ...REX, name });
    expect(await findPet(db, { id: 1 })).toStrictEqual(pet);
  });

  test.each([0, -1, 2 ** 31, 4503599627370497, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])(
    "stores the categoryId %i exactly",
    async (categoryId) => {
      const db = await temporaryDatabase();
      await insertPet(db, { ...REX, categoryId });
      expect((await findPet(db, { id: 1 }))?.categoryId).toBe(categoryId);
    },
  );

  test.each([2 ** 53, -(2 ** 53), 1.5, 1e300, Number.NaN])("rejects the categoryId %d", async (categoryId) => {
    await expect(insertPet(await temporaryDatabase(), { ...REX, categoryId })).rejects.toThrow(
      /^(CHECK|NOT NULL) constraint failed|^cannot store REAL value|violates check constraint|^invalid input syntax/,
    );
  });

  test("rejects a status outside the contract", async () => {
    const lost = { ...REX, status: "lost" as "sold" };
    await expect(insertPet(await temporaryDatabase(), lost)).rejects.toThrow(
      /^CHECK constraint failed|violates check constraint/,
    );
  });

  test("never reuses an id, even after the animal is deleted", async () => {
    const db = await temporaryDatabase();
    await insertPet(db, REX);
    await db.deleteFrom("pets").execute();
    expect((await insertPet(db, REX)).id).toBe(2);
  });
});

describe("listPets", () => {
  test("returns an empty list if there are no animals", async () => {
    expect(await listPets(await temporaryDatabase(), { limit: 20 })).toEqual([]);
  });

  test("returns at most limit animals after an id, of one status or all, in the order of ids", async () => {
    const db = await temporaryDatabase();
    for (const status of ["sold", "available", "sold", "pending", "sold"] as const)
      await insertPet(db, { ...REX, status });
    const ids = async (options: Parameters<typeof listPets>[1]) => (await listPets(db, options)).map((pet) => pet.id);
    expect(await ids({ limit: 20 })).toEqual([1, 2, 3, 4, 5]);
    expect(await ids({ limit: 2 })).toEqual([1, 2]);
    expect(await ids({ limit: 2, after: 2 })).toEqual([3, 4]);
    expect(await ids({ limit: 20, status: "sold" })).toEqual([1, 3, 5]);
    expect(await ids({ limit: 1, status: "sold", after: 1 })).toEqual([3]);
    expect(await ids({ limit: 20, after: 5 })).toEqual([]);
  });
});

describe("findPet", () => {
  test("returns undefined for an unknown id", async () => {
    const db = await temporaryDatabase();
    await insertPet(db, REX);
    for (const id of [0, 2, -1, Number.MAX_SAFE_INTEGER]) expect(await findPet(db, { id })).toBeUndefined();
  });
});
