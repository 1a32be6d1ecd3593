import { describe, expect, test } from "vitest";
import { prepared } from "../src/prepared.ts";
import { type Database, findThing, insertThing, temporaryDatabase } from "./things.ts";

const CUP = { name: "cup", size: 1 };

const named = prepared((db: Database, { name, limit }: { name: string; limit: number }) =>
  db.selectFrom("things").select("id").where("name", "=", name).orderBy("id").limit(limit),
);

describe("a prepared query", () => {
  test("gives the rows for the values of each run, as of when it was asked", async () => {
    const db = await temporaryDatabase();
    for (const name of ["cup", "mug", "cup"]) await insertThing(db, { ...CUP, name });
    const asked = named(db, { limit: 10, name: "cup" });
    await insertThing(db, CUP);
    expect(await asked).toEqual([{ id: 1 }, { id: 3 }]);
    expect(await named(db, { limit: 1, name: "cup" })).toEqual([{ id: 1 }]);
    expect(await named(db, { limit: 10, name: "mug" })).toEqual([{ id: 2 }]);
  });

  test("is built once for each set of values that are given", async () => {
    const db = await temporaryDatabase();
    for (const name of ["cup", "mug"]) await insertThing(db, { ...CUP, name });
    let built = 0;
    const find = prepared((own: Database, { name }: { name?: string | undefined }) => {
      built++;
      const query = own.selectFrom("things").select("name").orderBy("id");
      return name === undefined ? query : query.where("name", "=", name);
    });
    for (let time = 0; time < 2; time++) {
      expect(await find(db, {})).toEqual([{ name: "cup" }, { name: "mug" }]);
      expect(await find(db, { name: undefined })).toHaveLength(2);
      expect(await find(db, { name: "mug" })).toEqual([{ name: "mug" }]);
      expect(await find(db, { name: "cup" })).toEqual([{ name: "cup" }]);
    }
    expect(built).toBe(2);
  });

  test("refuses to be built by what a value is", async () => {
    const db = await temporaryDatabase();
    const wrong = prepared((own: Database, { limit }: { limit: number }) =>
      own
        .selectFrom("things")
        .select("id")
        .limit(limit > 5 ? 5 : limit),
    );
    await expect(wrong(db, { limit: 1 })).rejects.toThrow('cannot depend on what "limit" is');
  });

  test("waits for a transaction of somebody else on its connection, and sees nothing of it before", async () => {
    const db = await temporaryDatabase();
    let found: Promise<unknown> | undefined;
    await db.transaction().execute(async (trx: Database) => {
      await insertThing(trx, CUP);
      found = findThing(db, 1);
      expect(await findThing(trx, 1)).toMatchObject(CUP);
      expect(await Promise.race([found, Promise.resolve("waits")])).toBe("waits");
    });
    expect(await found).toMatchObject(CUP);
  });

  test("fails with what SQLite says, in a transaction too", async () => {
    const db = await temporaryDatabase();
    const wrong = { ...CUP, size: 0 };
    await expect(insertThing(db, wrong)).rejects.toThrow("CHECK constraint failed");
    await db.transaction().execute(async (trx: Database) => {
      await expect(insertThing(trx, wrong)).rejects.toThrow("CHECK constraint failed");
      await insertThing(trx, CUP);
    });
    expect(await named(db, { name: "cup", limit: 10 })).toEqual([{ id: 1 }]);
  });
});
