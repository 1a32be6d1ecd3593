import { prepared } from "@platform/storage/prepared";
import { describe, expect, test } from "vitest";
import { findPet, insertPet } from "../../src/resources/pets/pets.repository.ts";
import { type Database, temporaryDatabase } from "../temporary.ts";

const REX = { name: "Rex", categoryId: 1, status: "available" } as const;

const named = prepared((db: Database, { name, limit }: { name: string; limit: number }) =>
  db.selectFrom("pets").select("id").where("name", "=", name).orderBy("id").limit(limit),
);

describe("a prepared query", () => {
  test("gives the rows for the values of each run, at once", async () => {
    const db = await temporaryDatabase();
    for (const name of ["Rex", "Mia", "Rex"]) await insertPet(db, { ...REX, name });
    expect(named(db, { limit: 10, name: "Rex" })).toEqual({ rows: [{ id: 1 }, { id: 3 }] });
    expect(named(db, { limit: 1, name: "Rex" })).toEqual({ rows: [{ id: 1 }] });
    expect(named(db, { limit: 10, name: "Mia" })).toEqual({ rows: [{ id: 2 }] });
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
    expect(named(db, { name: "Rex", limit: 10 })).toEqual({ rows: [{ id: 1 }] });
  });
});
