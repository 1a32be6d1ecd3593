import { sql } from "kysely";
import { expect, test } from "vitest";
import { DatabaseError, isDatabaseUnavailable } from "../src/database-error.ts";
import { connectionCounts } from "../src/postgres/postgres.pool.ts";
import { prepared } from "../src/prepared.ts";
import { temporaryUrl } from "../src/testing/temporary.ts";
import { type Database, listThings, opened, temporaryStorage } from "./things.ts";

const sleep = prepared(
  (_db: Database, { seconds }: { seconds: number }) =>
    sql<{ pid: number }>`select pg_backend_pid() as pid, 'slow one' as label from pg_sleep(${seconds})`,
);
const backend = prepared((_db: Database) => sql<{ pid: number }>`select pg_backend_pid() as pid`);
const statements = prepared(
  (_db: Database) => sql<{ statement: string; runs: number }>`
    select statement, (generic_plans + custom_plans)::int as runs from pg_prepared_statements`,
);

/** Opens a database, which makes its next prepared queries share connections. */
async function openedBefore(parameters = ""): Promise<Database> {
  const db = opened(`${await temporaryUrl()}${parameters}`);
  await sql`select 1`.execute(db);
  return db;
}

test("a connection parses a prepared query once, however often it runs", async () => {
  const { db } = await temporaryStorage();
  await sql`select 1`.execute(db);
  for (let time = 0; time < 3; time++) await listThings(db);
  const lists = (await statements(db, {})).filter(({ statement }) => statement.includes('from "things"'));
  expect(lists).toEqual([{ statement: expect.any(String) as string, runs: 3 }]);
});

test("short prepared queries that run at once share connections", async () => {
  const db = await openedBefore();
  for (let time = 0; time < 50; time++) await backend(db, {}); // measures how long they take
  const pids = await Promise.all(Array.from({ length: 200 }, () => backend(db, {})));
  expect(new Set(pids.map(([row]) => row!.pid)).size).toBeLessThanOrEqual(8);
});

test("a prepared query does not wait behind a slow one", async () => {
  const db = await openedBefore();
  const [watching, slow] = [opened(await temporaryUrl()), sleep(db, { seconds: 1 })];
  const running = sql`select 1 from pg_stat_activity
    where query like '%slow one%' and state = 'active' and pid <> pg_backend_pid()`;
  await expect.poll(async () => (await running.execute(watching)).rows).toHaveLength(1);
  await backend(db, {});
  expect((await running.execute(watching)).rows).toHaveLength(1);
  await slow;
});

test("prepared queries behind slow ones count as waiting for a connection", async () => {
  const db = await openedBefore();
  const queries = Array.from({ length: 20 }, () => sleep(db, { seconds: 0.5 }));
  await expect.poll(() => connectionCounts().waiting, { interval: 20 }).toBe(12);
  await Promise.all(queries);
  expect(connectionCounts().waiting).toBe(0);
});

test("queries sent behind one that could not be prepared fail as it does", async () => {
  const db = await openedBefore("?lock_timeout=100");
  for (let time = 0; time < 50; time++) await backend(db, {}); // measures how long queries take
  await sql`create table things (id int, name text, size int)`.execute(db);
  await db.transaction().execute(async (trx) => {
    await sql`lock table things in access exclusive mode`.execute(trx);
    const failed = await Promise.allSettled(Array.from({ length: 100 }, () => listThings(db)));
    expect(failed.map(({ reason }: any) => isDatabaseUnavailable(reason))).toEqual(Array(100).fill(true));
  });
});

test("slow prepared queries run side by side", async () => {
  const db = await openedBefore();
  const rows = await Promise.all(Array.from({ length: 8 }, () => sleep(db, { seconds: 0.1 })));
  expect(new Set(rows.map(([row]) => row!.pid)).size).toBe(8);
});

test("a prepared query that waits behind slow ones fails once its time is over, and the server stays in use", async () => {
  const db = await openedBefore("?statement_timeout=500");
  const results = await Promise.allSettled(Array.from({ length: 80 }, () => sleep(db, { seconds: 0.4 })));
  const reasons = results.flatMap((result) => (result.status === "rejected" ? [result.reason as Error] : []));
  expect(reasons.length).toBeGreaterThan(0);
  for (const reason of reasons) expect(reason).toBeInstanceOf(DatabaseError);
  expect(await backend(db, {})).toHaveLength(1);
});

test("a prepared query runs after a migration has changed the type of its column", async () => {
  const { db, url } = await temporaryStorage();
  await sql`select 1`.execute(db);
  await listThings(db);
  await sql`alter table things alter column size type numeric`.execute(opened(url));
  expect(await listThings(db)).toEqual([]);
});

test("a prepared query runs after its connection has forgotten all statements", async () => {
  const { db } = await temporaryStorage();
  await sql`select 1`.execute(db);
  await listThings(db);
  await sql`deallocate all`.execute(db);
  expect(await listThings(db)).toEqual([]);
});

test("no connection stays in use after prepared queries", async () => {
  const before = connectionCounts().used;
  const db = await openedBefore();
  await Promise.all(Array.from({ length: 100 }, () => backend(db, {})));
  expect(connectionCounts().used).toBe(before);
});
