import Sqlite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { pathOfFileUrl } from "../src/url.ts";
import { insertThing, listThings, temporaryStorage } from "./things.ts";

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
