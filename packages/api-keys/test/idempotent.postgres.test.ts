import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { openStorage } from "@openapi-operations/storage/open-storage";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { expireResponses } from "../src/expired-responses.ts";
import { idempotent } from "../src/idempotent.ts";
import { createApiKey } from "../src/keys.repository.ts";
import type { Storage } from "@openapi-operations/storage/storage";
import { sql } from "kysely";
import { type Database, opened, type Tables, temporaryStorage } from "./tables.ts";

async function add(trx: Database) {
  const thing = await trx.insertInto("things").defaultValues().returning("id").executeTakeFirstOrThrow();
  return { status: 201 as const, body: thing };
}

test("a creation with a key takes two round trips to PostgreSQL", async () => {
  const { url, write } = await temporaryStorage();
  const { id } = await write((trx) => createApiKey(trx, { name: "one", environment: "development" }));
  const { hostname, port } = new URL(url);
  let roundTrips = 0;
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    let isAnswered = true;
    client.on("data", () => {
      if (isAnswered) roundTrips++;
      isAnswered = false;
    });
    server.on("data", () => (isAnswered = true));
    client.pipe(server).pipe(client);
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  const through = Object.assign(new URL(url), { host: `127.0.0.1:${(proxy.address() as AddressInfo).port}` });
  const storage = openStorage<Tables>(through.href);
  onTestFinished(async () => {
    await storage.destroy();
    proxy.close();
  });
  const create = (key: string) => {
    const input = { operationId: "addThing", path: {}, query: {}, headers: { "Idempotency-Key": key } };
    return idempotent({ ...input, caller: { id }, context: storage }, add);
  };
  await create("first, which connects");
  roundTrips = 0;
  await create("second");
  expect(roundTrips).toBe(2);
});

test.each([
  ["wait for the lock", ""],
  ["statement", "?lock_timeout=0&statement_timeout=500"],
])(
  "a duplicate gets 409 once its %s times out, and the stored response once the first request is done",
  async (_, limits) => {
    const { url } = await temporaryStorage();
    const storage = openStorage<Tables>(`${url}${limits}`);
    const { id } = await storage.write((trx) => createApiKey(trx, { name: "one", environment: "development" }));
    const headers = { "Idempotency-Key": "k1" };
    const input = { operationId: "addThing", path: {}, query: {}, headers, caller: { id }, context: storage };
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    onTestFinished(async () => {
      release();
      await storage.destroy();
    });

    const first = idempotent(input, async (trx) => {
      begin();
      await released;
      return add(trx);
    });
    await begun;
    expect(await idempotent(input, add)).toMatchObject({ status: 409, headers: { "Retry-After": 1 } });
    release();
    expect(await first).toEqual({ status: 201, body: { id: 1 } });
    expect(await idempotent(input, add)).toMatchObject({ status: 201, body: { id: 1 } });
    expect(await storage.db.selectFrom("things").selectAll().execute()).toHaveLength(1);
  },
);

test("while one process deletes expired responses, the others leave them", async () => {
  const storage = await temporaryStorage();
  const { id } = await storage.write((trx) => createApiKey(trx, { name: "one", environment: "development" }));
  const row = { api_key_id: id, key: "k1", request_hash: "h", answer: "{}", created_at: 0 };
  await storage.write((trx) => trx.insertInto("idempotency_keys").values(row).execute());
  const left = () => storage.db.selectFrom("idempotency_keys").select("key").execute();

  let looks = 0;
  const start = () => {
    const { write }: Storage<any> = storage;
    const counted: typeof write = async (work, isSuccess) => {
      const result = await write(work, isSuccess);
      looks++;
      return result;
    };
    const expiry = expireResponses(counted, pino({ enabled: false }), 5);
    onTestFinished(() => expiry.close());
  };
  await opened(storage.url)
    .transaction()
    .execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(7382955338)`.execute(trx);
      start();
      await expect.poll(() => looks).toBeGreaterThan(2);
      expect(await left()).toHaveLength(1);
    });
  await expect.poll(left).toEqual([]);
});

test("a batch does not read again what earlier batches deleted, even while a backup holds it", async () => {
  const storage = await temporaryStorage();
  const { id } = await storage.write((trx) => createApiKey(trx, { name: "one", environment: "development" }));
  await sql`insert into idempotency_keys select ${id}::bigint, n::text, 'h', '{}', n from generate_series(1, 20000) n`.execute(
    storage.db,
  );
  await sql`analyze idempotency_keys`.execute(storage.db); // without statistics, the first plans sort all rows
  const own = openStorage<Tables>(storage.url);
  await opened(storage.url)
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (trx) => {
      await sql`select from things`.execute(trx);
      const expiry = expireResponses(own.write, pino({ enabled: false }), 5);
      await expect.poll(() => storage.db.selectFrom("idempotency_keys").select("key").execute()).toEqual([]);
      await expiry.close();
    });
  await own.destroy(); // its connections report what they read
  const read = async () => {
    const { rows } = await sql<{ entries: number }>`
      select pg_stat_get_tuples_returned('idempotency_keys_created_at'::regclass)::int as entries`.execute(storage.db);
    return rows[0]!.entries;
  };
  await expect.poll(read).toBeGreaterThanOrEqual(40_000);
  expect(await read()).toBeLessThan(80_000);
});
