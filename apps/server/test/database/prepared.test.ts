import { prepared } from "@platform/storage/prepared";
import { describe, expect, test } from "vitest";
import { findPet, insertPet } from "../../src/resources/pets/pets.repository.ts";
import { type Database, temporaryDatabase } from "../temporary.ts";

const REX = { name: "Rex", categoryId: 1, status: "available" } as const;

const named = prepared((db: Database, { name, limit }: { name: string; limit: number }) =>
  db.selectFrom("pets").select("id").where("name", "=", name).orderBy("id").limit(limit),
);

describe("a prepared query", () => {
  test("gives the rows for the values of each run, as of when it was asked", async () => {
    const db = await temporaryDatabase();
    for (const name of ["Rex", "Mia", "Rex"]) await insertPet(db, { ...REX, name });
    const asked = named(db, { limit: 10, name: "Rex" });
    await insertPet(db, REX);
    expect(await asked).toEqual([{ id: 1 }, { id: 3 }]);
    expect(await named(db, { limit: 1, name: "Rex" })).toEqual([{ id: 1 }]);
    expect(await named(db, { limit: 10, name: "Mia" })).toEqual([{ id: 2 }]);
  });

  test("is built once for each set of values that are given", async () => {
    const db = await temporaryDatabase();
    for (const name of ["Rex", "Mia"]) await insertPet(db, { ...REX, name });
    let built = 0;
    const find = prepared((own: Database, { name }: { name?: string | undefined }) => {
      built++;
      const query = own.selectFrom("pets").select("name").orderBy("id");
      return name === undefined ? query : query.where("name", "=", name);
    });
    for (let time = 0; time < 2; time++) {
      expect(await find(db, {})).toEqual([{ name: "Rex" }, { name: "Mia" }]);
      expect(await find(db, { name: undefined })).toHaveLength(2);
      expect(await find(db, { name: "Mia" })).toEqual([{ name: "Mia" }]);
      expect(await find(db, { name: "Rex" })).toEqual([{ name: "Rex" }]);
    }
    expect(built).toBe(2);
  });

  test("refuses to be built by what a value is", async () => {
    const db = await temporaryDatabase();
    const wrong = prepared((own: Database, { limit }: { limit: number }) =>
      own
        .selectFrom("pets")
        .select("id")
        .limit(limit > 5 ? 5 : limit),
    );
    await expect(wrong(db, { limit: 1 })).rejects.toThrow('cannot depend on what "limit" is');
  });

  test("waits for a transaction of somebody else on its connection, and sees nothing of it before", async () => {
    const db = await temporaryDatabase();
    let found: Promise<unknown> | undefined;
    await db.transaction().execute(async (trx: Database) => {
      await insertPet(trx, REX);
      found = findPet(db, 1);
      expect(await findPet(trx, 1)).toMatchObject(REX);
      expect(await Promise.race([found, Promise.resolve("waits")])).toBe("waits");
    });
    expect(await found).toMatchObject(REX);
  });

  test("fails with what SQLite says, in a transaction too", async () => {
    const db = await temporaryDatabase();
    const wrong = { ...REX, categoryId: 2 ** 60 };
    await expect(insertPet(db, wrong)).rejects.toThrow("CHECK constraint failed");
    await db.transaction().execute(async (trx: Database) => {
      await expect(insertPet(trx, wrong)).rejects.toThrow("CHECK constraint failed");
      await insertPet(trx, REX);
    });
    expect(await named(db, { name: "Rex", limit: 10 })).toEqual([{ id: 1 }]);
  });
});
