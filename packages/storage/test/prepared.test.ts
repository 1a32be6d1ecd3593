import Sqlite from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { prepared } from "../src/prepared.ts";
import { pathOfFileUrl } from "../src/url.ts";
import { type Database, findThing, insertThing, listThings, temporaryDatabase, temporaryStorage } from "./things.ts";

describe("prepared queries", () => {
  const CUP = { name: "cup", size: 1 };

  const named = prepared((db: Database, { name, limit }: { name: string; limit: number }) =>
    db.selectFrom("things").select("id").where("name", "=", name).orderBy("id").limit(limit),
  );

  describe("a prepared query", () => {
    test("returns the rows for the values of each call, as of the time of the call", async () => {
      const db = await temporaryDatabase();
      for (const name of ["cup", "mug", "cup"]) await insertThing(db, { ...CUP, name });
      const asked = named(db, { limit: 10, name: "cup" });
      await insertThing(db, CUP);
      expect(await asked).toEqual([{ id: 1 }, { id: 3 }]);
      expect(await named(db, { limit: 1, name: "cup" })).toEqual([{ id: 1 }]);
      expect(await named(db, { limit: 10, name: "mug" })).toEqual([{ id: 2 }]);
    });

    test("keeps its constants beside the values of a call", async () => {
      const db = await temporaryDatabase();
      for (const size of [1, 2]) await insertThing(db, { ...CUP, size });
      const ofSizeTwo = prepared((own: Database, { name }: { name: string }) =>
        own.selectFrom("things").select("id").where("size", "=", 2).where("name", "=", name),
      );
      expect(await ofSizeTwo(db, { name: "cup" })).toEqual([{ id: 2 }]);
    });

    test("is built once for each set of defined values", async () => {
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

    test("rejects a query whose structure depends on a value", async () => {
      const db = await temporaryDatabase();
      const wrong = prepared((own: Database, { limit }: { limit: number }) =>
        own
          .selectFrom("things")
          .select("id")
          .limit(limit > 5 ? 5 : limit),
      );
      await expect(wrong(db, { limit: 1 })).rejects.toThrow('cannot depend on the value of "limit"');
    });

    test.each<[string, (value: { name: string }) => unknown]>([
      ["a field", (value) => value.name],
      ["JSON", (value) => JSON.stringify(value)],
      ["text", (value) => `named ${value as unknown as string}`],
    ])("rejects a query that reads %s of a value", async (_, read) => {
      const db = await temporaryDatabase();
      const wrong = prepared((own: Database, { thing }: { thing: { name: string } }) =>
        own
          .selectFrom("things")
          .select("id")
          .where("name", "=", read(thing) as string),
      );
      await expect(wrong(db, { thing: { name: "cup" } })).rejects.toThrow('cannot depend on the value of "thing"');
    });

    test("is built once for any order of the values, and gets no inherited properties", async () => {
      const db = await temporaryDatabase();
      let built = 0;
      const find = prepared((own: Database, values: Record<string, unknown>) => {
        built++;
        expect(values["constructor"]).toBeUndefined();
        return own.selectFrom("things").select("id");
      });
      await find(db, { a: 1, b: 2 });
      await find(db, { b: 2, a: 1 });
      expect(built).toBe(1);
      await find(db, { "a,b": 1 });
      expect(built).toBe(2);
    });

    test("is cached for a bounded number of value sets", async () => {
      const db = await temporaryDatabase();
      let built = 0;
      const find = prepared((own: Database, _values: Record<string, unknown>) => {
        built++;
        return own.selectFrom("things").select("id");
      });
      for (let name = 0; name < 257; name++) await find(db, { [name]: 1 });
      await find(db, { 0: 1 });
      expect(built).toBe(258);
    });

    test("without rows to return runs once", async () => {
      const db = await temporaryDatabase();
      const add = prepared((own: Database, thing: { name: string; size: number }) =>
        own.insertInto("things").values({ name: thing.name, size: thing.size }),
      );
      expect(await add(db, CUP)).toEqual([]);
      expect(await named(db, { name: "cup", limit: 10 })).toEqual([{ id: 1 }]);
    });

    test("waits for another transaction on its connection", async () => {
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

    test("fails with the error of SQLite, in a transaction too", async () => {
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
});

describe("snapshots", () => {
  test("requests of one turn of the event loop read one snapshot, taken after the last of them arrived", async () => {
    const storage = await temporaryStorage();
    await storage.open();
    const other = new Sqlite(pathOfFileUrl(storage.url));
    onTestFinished(() => void other.close());
    const insert = () => other.exec("insert into things (name, size) values ('cup', 1)");
    insert();
    const versions: (number | undefined)[] = [];
    const arrive = (then: () => unknown) =>
      new Promise((done) =>
        storage.snapshot((version) => {
          versions.push(version);
          done(then());
        }),
      );

    const first = arrive(() => listThings(storage.db));
    insert();
    const second = arrive(async () => {
      insert();
      return listThings(storage.db);
    });
    expect(await first).toHaveLength(2);
    expect(await second).toHaveLength(2);
    expect(versions).toEqual([expect.any(Number), versions[0]]);
    expect(await listThings(storage.db)).toHaveLength(3);
  });

  test("requests of one turn of the event loop read in the order of their arrival", async () => {
    const storage = await temporaryStorage();
    await storage.open();
    const order: number[] = [];
    await Promise.all(
      [1, 2, 3].map((request) => new Promise<void>((done) => storage.snapshot(() => done(void order.push(request))))),
    );
    expect(order).toEqual([1, 2, 3]);
  });

  test("writes of requests of one turn of the event loop are committed together, within the same turn", async () => {
    const commits: number[] = [];
    const storage = await temporaryStorage((size) => commits.push(size));
    await storage.open();
    let hasTurned = false;
    const write = async () => {
      setImmediate(() => (hasTurned = true));
      await Promise.resolve(); // like the await of a body that has arrived
      await storage.write((trx) => insertThing(trx, { name: "cup", size: 1 }));
      return hasTurned;
    };
    const arrive = () => new Promise((done) => storage.snapshot(() => done(write())));

    expect(await Promise.all([arrive(), arrive(), arrive()])).toEqual([false, false, false]);
    expect(commits).toEqual([3]);
  });
});
