import type { AddressInfo } from "node:net";
import type { Pet } from "@petstore/contract";
import Sqlite from "better-sqlite3";
import Fastify, { type FastifyError } from "fastify";
import pino from "pino";
import { decodeCursor } from "@platform/service/page";
import {
  bearerToken,
  FORBIDDEN,
  invalidRequest,
  keyParameters,
  type KeyRow,
  type ListQuery,
  nextLink,
  NOT_FOUND,
  type PeerDatabase,
  SQL,
  UNAUTHORIZED,
} from "./peer.ts";
import { errorSchema, listQuerySchema, newPetSchema, petIdSchema, petSchema } from "./schemas.ts";

/** Fastify 5 as documented, with a logger, hooks, JSON schemas for requests and responses, and prepared statements. */
export async function start({ path, synchronous }: PeerDatabase): Promise<number> {
  const db = new Sqlite(path);
  db.pragma("journal_mode = wal");
  db.pragma(`synchronous = ${synchronous}`);
  const findKey = db.prepare<[string, number], KeyRow>(SQL.key);
  const list = db.prepare<[number, number], Pet>(SQL.list);
  const listByStatus = db.prepare<[string, number, number], Pet>(SQL.listByStatus);
  const find = db.prepare<[number], Pet>(SQL.find);
  const insert = db.prepare<[string, number, string]>(SQL.insert);

  const app = Fastify({
    loggerInstance: pino(pino.destination("/dev/null")),
    ajv: { customOptions: { removeAdditional: false } },
  });

  app.addHook("onRequest", async (request, reply) => {
    const token = bearerToken(request.headers.authorization);
    const key = token === undefined ? undefined : findKey.get(...keyParameters(token));
    if (key === undefined) return reply.code(401).send(UNAUTHORIZED);
    if (!key.scopes.includes(request.method === "POST" ? "pets:write" : "pets:read")) {
      return reply.code(403).send(FORBIDDEN);
    }
  });

  app.setErrorHandler((error: FastifyError, _request, reply) => {
    if (error.validation === undefined) return reply.send(error);
    return reply.code(400).send(invalidRequest(explain(error)));
  });

  const failures = { 400: errorSchema, 401: errorSchema, 403: errorSchema, 404: errorSchema };

  app.get<{ Querystring: ListQuery }>(
    "/v1/pets",
    { schema: { querystring: listQuerySchema, response: { 200: { type: "array", items: petSchema }, ...failures } } },
    async ({ query }, reply) => {
      const { limit, status, cursor } = query;
      const after = cursor === undefined ? 0 : (decodeCursor(cursor) ?? 0);
      const found = status === undefined ? list.all(after, limit + 1) : listByStatus.all(status, after, limit + 1);
      const page = found.slice(0, limit);
      if (found.length > page.length) reply.header("Link", nextLink(query, page.at(-1)!));
      return page;
    },
  );

  app.post<{ Body: Omit<Pet, "id"> }>(
    "/v1/pets",
    { schema: { body: newPetSchema, response: { 201: petSchema, ...failures } } },
    async ({ body }, reply) => {
      reply.code(201);
      const id = Number(insert.run(body.name, body.categoryId, body.status).lastInsertRowid);
      return { id, ...body };
    },
  );

  app.get<{ Params: { petId: number } }>(
    "/v1/pets/:petId",
    { schema: { params: petIdSchema, response: { 200: petSchema, ...failures } } },
    async ({ params }, reply) => find.get(params.petId) ?? reply.code(404).send(NOT_FOUND),
  );

  await app.listen({ port: 0 });
  return (app.server.address() as AddressInfo).port;
}

function explain({ validation = [], validationContext }: FastifyError): string {
  const [first] = validation;
  const name = first?.instancePath.slice(1);
  const subject = validationContext === "querystring" ? `Query parameter "${name}"` : `Body field "${name}"`;
  return `${subject} ${first?.message}.`;
}
