import { hash } from "node:crypto";
import type { Pet } from "@petstore/contract";
import postgres from "postgres";
import { serve } from "./fastify.ts";
import { invalidRequest, type KeyRow, keyParameters, startOf, toPage } from "./peer.ts";

const EXPIRY_MS = 24 * 60 * 60 * 1000;

class KeyUsed extends Error {}

/** Fastify as documented, with `postgres` as documented: prepared statements, and pipelining in transactions too. */
export function start(): Promise<number> {
  const sql = postgres(process.env["DATABASE_URL"]!, {
    types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
  });
  const fields = sql`id, name, category_id as "categoryId", status`;
  const insertInto = (on: postgres.ISql, { name, categoryId, status }: Omit<Pet, "id">, createdBy: number) => on<Pet[]>`
    insert into pets (name, category_id, status, created_by, created_at)
    values (${name}, ${categoryId}, ${status}, ${createdBy}, ${Date.now()}) returning ${fields}`;

  return serve({
    keyOf: async (token) => {
      const [digest, now] = keyParameters(token);
      const [row] = await sql<KeyRow[]>`select id, scopes from api_keys
        where hash = ${digest} and revoked_at is null and (expires_at is null or expires_at > ${now})`;
      return row;
    },
    pageOf: async (query) => {
      const ofStatus = query.status === undefined ? sql`` : sql`status = ${query.status} and`;
      const found = await sql<Pet[]>`select ${fields} from pets
        where ${ofStatus} id > ${startOf(query)} order by id limit ${query.limit + 1}`;
      return toPage(query, found);
    },
    find: async (id) => (await sql<Pet[]>`select ${fields} from pets where id = ${id}`)[0],
    insert: async (pet, { apiKey, headers }, reply) => {
      const key = headers["idempotency-key"] as string | undefined;
      const { id } = apiKey!;
      if (key === undefined) return (await insertInto(sql, pet, id))[0]!;
      const requestHash = hash("sha256", JSON.stringify(pet), "base64url");
      const now = Date.now();
      try {
        const [, [added]] = await sql.begin((trx) => [
          trx`insert into idempotency_keys as used (api_key_id, key, request_hash, answer, created_at)
            values (${id}, ${key}, ${requestHash}, '', ${now})
            on conflict (api_key_id, key) do update
            set request_hash = excluded.request_hash, answer = '', created_at = excluded.created_at
            where used.created_at <= ${now - EXPIRY_MS} returning key`.then(({ count }) => {
            if (count === 0) throw new KeyUsed();
          }),
          insertInto(trx, pet, id),
          trx`update idempotency_keys set answer = (
              select row_to_json(pet) from (
                select ${fields} from pets where id = (select currval(pg_get_serial_sequence('pets', 'id')))) as pet)
            where api_key_id = ${id} and key = ${key}`,
        ]);
        return added!;
      } catch (error) {
        if (!(error instanceof KeyUsed)) throw error;
      }
      const [used] = await sql<{ request_hash: string; answer: string }[]>`
        select request_hash, answer from idempotency_keys where api_key_id = ${id} and key = ${key}`;
      if (used?.request_hash !== requestHash) return reply.code(422).send(invalidRequest("The key was used."));
      reply.header("Idempotency-Replayed", "true");
      return JSON.parse(used.answer) as Pet;
    },
  });
}
