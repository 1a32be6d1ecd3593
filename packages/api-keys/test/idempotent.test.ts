import { openDatabase } from "@openapi-operations/storage/database";
import { migrate } from "@openapi-operations/storage/migrations";
import { openStorage } from "@openapi-operations/storage/open-storage";
import type { Storage } from "@openapi-operations/storage/storage";
import { newDatabase } from "@openapi-operations/storage/testing";
import { type Kysely, sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { generateApiKey } from "../src/api-key.ts";
import { idempotent } from "../src/idempotent.ts";
import { createApiKey } from "../src/keys.repository.ts";
import { MIGRATIONS, opened, type Tables } from "./tables.ts";

let database: Awaited<ReturnType<typeof newDatabase>>;
let storage: Storage<Tables>;
beforeAll(async () => {
  database = await newDatabase();
  const db = openDatabase<Tables>(database.url);
  await migrate(db, MIGRATIONS);
  for (const name of ["one", "two"]) await createApiKey(db, { name, environment: "development" });
  await db.destroy();
  storage = openStorage<Tables>(database.url);
});
beforeEach(() => storage.write((trx) => trx.deleteFrom("things").execute()));
afterAll(async () => {
  await storage.destroy();
  await database.drop();
});

const DAY = 24 * 60 * 60 * 1000;

interface Sent {
  key?: string;
  operationId?: string;
  path?: object;
  query?: object;
  body?: unknown;
  caller?: number;
}

function input({ key, operationId = "addThing", path = {}, query = {}, body, caller = 1 }: Sent) {
  const headers = key === undefined ? {} : { "Idempotency-Key": key };
  return { operationId, path, query, headers, body, caller: { id: caller }, context: storage };
}

async function add(trx: Kysely<Tables>) {
  await trx.insertInto("things").values({ name: "one" }).execute();
  return { status: 201 as const, headers: { Location: "/things/one" }, body: { name: "one" } };
}

const added = { status: 201, headers: { Location: "/things/one" }, body: { name: "one" } };
const replayed = { ...added, headers: { ...added.headers, "Idempotency-Replayed": "true" } };

async function count(): Promise<number> {
  return (await storage.db.selectFrom("things").selectAll().execute()).length;
}

test("each request without a key does the work", async () => {
  for (let time = 0; time < 2; time++) expect(await idempotent(input({}), add)).toEqual(added);
  expect(await count()).toBe(2);
});

test("a repeated request gets the first status, headers and body, for any order of fields", async () => {
  const first = { key: "k1", path: { shop: 1, shelf: 2 }, body: { name: "x", deep: { a: [1, 2], b: null } } };
  const again = { key: "k1", path: { shelf: 2, shop: 1 }, body: { deep: { b: null, a: [1, 2] }, name: "x" } };
  expect(await idempotent(input(first), add)).toEqual(added);
  expect(await idempotent(input(again), add)).toEqual(replayed);
  expect(await count()).toBe(1);
});

describe("a key is rejected for another request:", () => {
  const first = { key: "k2", path: { shop: 1 }, body: { name: "x", sizes: [1, 2] } };
  beforeAll(() => idempotent(input(first), add));

  test.each([
    ["another operation", { ...first, operationId: "addOther" }],
    ["another path", { ...first, path: { shop: 2 } }],
    ["another query", { ...first, query: { dryRun: true } }],
    ["another value", { ...first, body: { name: "y", sizes: [1, 2] } }],
    ["an additional field", { ...first, body: { name: "x", sizes: [1, 2], later: null } }],
    ["a list in another order", { ...first, body: { name: "x", sizes: [2, 1] } }],
    ["no body", { ...first, body: undefined }],
    ["null instead of a body", { ...first, body: null }],
  ])("%s", async (_, sent) => {
    expect(await idempotent(input(sent), add)).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
    expect(await count()).toBe(0);
  });

  test.each([{ caller: 2 }, { key: "K2" }])("a request with %o is accepted", async (other) => {
    expect(await idempotent(input({ ...first, ...other, body: {} }), add)).toEqual(added);
  });
});

test.each([undefined, "k3"])("a failure that the work returns rolls back every write; key %s", async (key) => {
  const fail = async (trx: Kysely<Tables>) => {
    await add(trx);
    return { status: 409 as const, body: { code: "sold" } };
  };
  expect(await idempotent(input({ key: key! }), fail)).toEqual({ status: 409, body: { code: "sold" } });
  expect(await count()).toBe(0);
  expect(await idempotent(input({ key: key!, body: "another" }), add)).toEqual(added); // the key is unused
});

test("work that throws leaves the key unused", async () => {
  await expect(idempotent(input({ key: "k4" }), () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await idempotent(input({ key: "k4", body: "another" }), add)).toEqual(added);
});

test("fails with the error of the database, unless another request holds the key", async () => {
  await expect(idempotent(input({ key: "k4", caller: 99 }), add)).rejects.toThrow(/foreign key/i);
});

test("a key is unused again after 24 hours", async () => {
  const first = Date.now();
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  for (const [time, body, response] of [
    [0, "one", added],
    [DAY - 1, "one", replayed],
    [DAY, "two", added],
    [DAY, "two", replayed],
  ] as const) {
    vi.setSystemTime(first + time);
    expect(await idempotent(input({ key: "k9", body }), add)).toEqual(response);
  }
});

test.each([1, 2])("twenty concurrent duplicates do the work once, on %i connections", async (connections) => {
  const databases = Array.from({ length: connections }, () => opened(database.url));
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, n) => {
      const db = databases[n % connections]!;
      const context = { write: <Result>(work: (trx: typeof db) => Promise<Result>) => db.transaction().execute(work) };
      return idempotent({ ...input({ key: `all ${connections}` }), context }, add);
    }),
  );
  const repeats = results.filter((result) => JSON.stringify(result).includes("Idempotency-Replayed"));
  expect(repeats).toEqual(Array.from({ length: 19 }, () => replayed));
  expect(results.filter((result) => !repeats.includes(result))).toEqual([added]);
  expect(await count()).toBe(1);
});

test("a repeat gets the first response, even if its work fails by then", async () => {
  const addOnce = async (trx: Kysely<Tables>) => {
    const things = await trx.selectFrom("things").selectAll().execute();
    await sql`create table added_once (id int)`.execute(trx);
    return things.length === 0 ? add(trx) : { status: 409 as const, body: "There is one." };
  };
  expect(await idempotent(input({ key: "once" }), addOnce)).toEqual(added);
  expect(await idempotent(input({ key: "once" }), addOnce)).toEqual(replayed);
  await expect(idempotent(input({ key: "twice" }), addOnce)).rejects.toThrow("already exists");
  await storage.write((trx) => sql`drop table added_once`.execute(trx));
  expect(await idempotent(input({ key: "once" }), add)).toEqual(replayed);
});

test("null and a missing body are different requests", async () => {
  expect(await idempotent(input({ key: "k7" }), add)).toEqual(added);
  expect(await idempotent(input({ key: "k7", body: null }), add)).toMatchObject({ status: 422 });
});

test("uploaded files and bodies of bytes throw at the first request", async () => {
  await expect(idempotent({ ...input({ key: "k8" }), files: [] }, add)).rejects.toThrow(
    "cannot compare the uploaded files",
  );
  const bytes = async (trx: Kysely<Tables>) => ({ ...(await add(trx)), body: new Uint8Array(1) });
  await expect(idempotent(input({ key: "k8" }), bytes)).rejects.toThrow("whose body is bytes");
  expect(await count()).toBe(0);
});

test("an API key in Idempotency-Key is rejected, and not stored", async () => {
  const key = generateApiKey("production");
  expect(await idempotent(input({ key: `x${key}` }), add)).toMatchObject({ status: 400 });
  expect(await count()).toBe(0);
  const rows = await storage.db.selectFrom("idempotency_keys").select("key").execute();
  expect(rows.filter((row) => row.key.includes(key))).toEqual([]);
});
