import { expireResponses } from "@openapi-operations/api-keys/expired-responses";
import { createApiKey } from "@openapi-operations/api-keys/keys.repository";
import { openDatabase } from "@openapi-operations/storage/database";
import { migrate } from "@openapi-operations/storage/migrations";
import { openStorage } from "@openapi-operations/storage/open-storage";
import { createDatabase, postgresUnavailable, startPostgres } from "@platform/test-support/postgres";
import { sql } from "kysely";
import { pino } from "pino";
import { setTimeout } from "node:timers/promises";
import { MIGRATIONS } from "../../../apps/server/src/migrations.ts";
import type { Tables } from "../../../apps/server/src/registrations.ts";

const MILLIONS = 8;
const MEASURED_MS = 20_000;

/** Measures how fast one process deletes expired responses of `Idempotency-Key` from a large table on PostgreSQL. */
export async function expiry(): Promise<void> {
  const absence = await postgresUnavailable();
  if (absence !== undefined) return console.log(absence);
  await using server = await startPostgres();
  const { url } = await createDatabase(server.url);
  const db = openDatabase<Tables>(`${url}?statement_timeout=0`);
  await migrate(db, MIGRATIONS);
  const { id } = await createApiKey(db, { name: "bench", environment: "production" });
  const answer = '{"status":201,"body":{"id":1000000,"name":"Rex","categoryId":1,"status":"available"}}';
  const oldest = Date.now() - 48 * 3_600_000; // one half has expired
  for (let million = 0; million < MILLIONS; million++)
    await sql`insert into idempotency_keys (api_key_id, key, request_hash, answer, created_at)
      select ${id}::bigint, gen_random_uuid()::text, '2:' || repeat('x', 43), ${answer},
        ${oldest}::bigint + (${48 * 3_600_000}::bigint * (${million}::bigint * 1000000 + n)) / ${MILLIONS * 1_000_000}::bigint
      from generate_series(1, 1000000) as n`.execute(db);
  await sql`vacuum analyze idempotency_keys`.execute(db);
  const size = await sql<{ bytes: number }>`select pg_total_relation_size('idempotency_keys') as bytes`.execute(db);
  const oldestLeft = async (): Promise<number> =>
    (
      await db
        .selectFrom("idempotency_keys")
        .select("created_at")
        .orderBy("created_at")
        .limit(1)
        .executeTakeFirstOrThrow()
    ).created_at;

  const storage = openStorage<Tables>(url);
  const before = await oldestLeft();
  const deleting = expireResponses(storage.write, pino({ enabled: false }), 1);
  await setTimeout(MEASURED_MS);
  await deleting.close();
  const deleted = (((await oldestLeft()) - before) / (48 * 3_600_000)) * MILLIONS * 1_000_000;
  console.log(`\n${MILLIONS} million responses: ${(size.rows[0]!.bytes / MILLIONS / 1e6).toFixed(0)} bytes each`);
  console.log(`deleted by one process: ${(deleted / (MEASURED_MS / 1_000)).toFixed(0)} a second`);
  await storage.destroy();
  await db.destroy();
}
