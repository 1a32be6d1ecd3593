import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { expireResponses } from "@openapi-operations/api-keys/expired-responses";
import { idempotent } from "@openapi-operations/api-keys/idempotent";
import { createApiKey } from "@openapi-operations/api-keys/keys.repository";
import { openDatabase } from "@openapi-operations/storage/database";
import { migrate } from "@openapi-operations/storage/migrations";
import { openStorage } from "@openapi-operations/storage/open-storage";
import type { Storage } from "@openapi-operations/storage/storage";
import { createDatabase, postgresUnavailable, rowsOf, startPostgres } from "@platform/test-support/postgres";
import { sql } from "kysely";
import { pino } from "pino";
import { MIGRATIONS } from "../../../apps/server/src/migrations.ts";
import type { Tables } from "../../../apps/server/src/registrations.ts";
import { show, spreadOf } from "../measuring/figures.ts";

const MILLIONS = 20;
const ROWS = MILLIONS * 1_000_000;
const DAY = 24 * 3_600_000;
const SLICE_MS = 5_000;
/** As many as a process has connections. */
const WRITERS = 20;

/** Measures how fast one process deletes expired responses of `Idempotency-Key` from a large table on PostgreSQL, and creates meanwhile. */
export async function expiry(): Promise<void> {
  const absence = await postgresUnavailable();
  if (absence !== undefined) return console.log(absence);
  await using server = await startPostgres();
  const { url } = await createDatabase(server.url);
  const db = openDatabase<Tables>(`${url}?statement_timeout=0`);
  await migrate(db, MIGRATIONS);
  const { id } = await createApiKey(db, { name: "bench", environment: "production" });
  const oldest = Date.now() - 3 * DAY; // a day of responses, which have all expired
  await fill(db, id, oldest);
  const [size] = await rowsOf<{ bytes: string }>(url, "select pg_total_relation_size('idempotency_keys') as bytes");
  console.log(`\n${MILLIONS} million responses: ${(Number(size!.bytes) / ROWS).toFixed(0)} bytes each`);

  const scans = "select seq_scan::int, idx_scan::int from pg_stat_user_tables where relname = 'idempotency_keys'";
  const storage = openStorage<Tables>(url);
  const alone = await creationsOf(storage, id, 2 * SLICE_MS);
  const [before] = await rowsOf<Record<string, number>>(url, scans);
  const batches: number[] = [];
  let last = oldest;
  const timed: typeof storage.write = async (work, isSuccess) => {
    const start = performance.now();
    const result = await storage.write(work, isSuccess);
    if (typeof result === "number") [last] = [result, batches.push(performance.now() - start)];
    return result;
  };
  const deleting = expireResponses(timed, pino({ enabled: false }), 1);
  const beside = await creationsOf(storage, id, 2 * SLICE_MS);
  const rateFrom = (from: number, slices: number): number => ((last - from) / DAY) * ROWS * (1_000 / SLICE_MS / slices);
  const rateBeside = rateFrom(oldest, 2);
  const rates: number[] = [];
  for (let from = last; rates.length === 0 || last > from;) {
    from = last;
    await setTimeout(SLICE_MS);
    rates.push(rateFrom(from, 1));
  }
  await deleting.close();
  await storage.destroy();
  await db.destroy();
  const [after] = await rowsOf<Record<string, number>>(url, scans);
  const counted = Object.keys(after!).map((name) => `${name} ${after![name]! - before![name]!}`);
  console.log(
    `creations a second by ${WRITERS} writers: ${alone.toFixed(0)} alone, ${beside.toFixed(0)} beside deletion`,
  );
  console.log(`deleted a second by the process that creates: ${rateBeside.toFixed(0)}`);
  console.log(`deleted a second alone, each 5 s: ${rates.map((rate) => rate.toFixed(0)).join(", ")}`);
  console.log(`ms per batch: ${show(spreadOf(batches))}; scans: ${counted.join(", ")}`);
}

async function fill(db: ReturnType<typeof openDatabase<Tables>>, id: number, oldest: number): Promise<void> {
  const answer = '{"status":201,"body":{"id":1000000,"name":"Rex","categoryId":1,"status":"available"}}';
  for (let million = 0; million < MILLIONS; million++)
    await sql`insert into idempotency_keys (api_key_id, key, request_hash, answer, created_at)
      select ${id}::bigint, gen_random_uuid()::text, '2:' || repeat('x', 43), ${answer},
        ${oldest}::bigint + (${DAY}::bigint * (${million}::bigint * 1000000 + n)) / ${ROWS}::bigint
      from generate_series(1, 1000000) as n`.execute(db);
  await sql`vacuum analyze idempotency_keys`.execute(db);
}

/** Returns how many animals are created in a second, each with an `Idempotency-Key`, without HTTP. */
async function creationsOf(storage: Storage<Tables>, id: number, milliseconds: number): Promise<number> {
  const end = performance.now() + milliseconds;
  let created = 0;
  const create = async (): Promise<void> => {
    const input = { operationId: "addPet", path: {}, query: {}, headers: { "Idempotency-Key": randomUUID() } };
    const pet = { name: "Rex", category_id: 1, status: "available", created_by: id, created_at: Date.now() } as const;
    await idempotent({ ...input, caller: { id }, context: storage }, async (trx) => {
      const { id: body } = await trx.insertInto("pets").values(pet).returning("id").executeTakeFirstOrThrow();
      return { status: 201 as const, body };
    });
    created++;
  };
  const writer = async (): Promise<void> => {
    while (performance.now() < end) await create();
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  return (created * 1_000) / milliseconds;
}
