import type { AddressInfo } from "node:net";
import type { Pet } from "@petstore/contract";
import Fastify from "fastify";
import pino from "pino";
import { createSchema, getSchema, listSchema, refuse } from "./fastify-schemas.ts";
import { bearerToken, type ListQuery, NOT_FOUND, openFile, type PeerDatabase, prepare, refusalOf } from "./peer.ts";

/** Fastify 5 as documented, with a logger, hooks, JSON schemas for requests and responses, and prepared statements. */
export async function start(database: PeerDatabase): Promise<number> {
  const { keyOf, find, insert, pageOf } = prepare(openFile(database));

  const app = Fastify({
    loggerInstance: pino(pino.destination("/dev/null")),
    ajv: { customOptions: { removeAdditional: false } },
  });

  app.addHook("onRequest", async (request, reply) => {
    const token = bearerToken(request.headers.authorization);
    const refusal = refusalOf(request.method, token === undefined ? undefined : keyOf(token));
    if (refusal !== undefined) return reply.code(refusal.status).send(refusal);
  });
  app.setErrorHandler(refuse);

  app.get<{ Querystring: ListQuery }>("/v1/pets", { schema: listSchema }, async ({ query }, reply) => {
    const { page, link } = pageOf(query);
    if (link !== undefined) reply.header("Link", link);
    return page;
  });

  app.post<{ Body: Omit<Pet, "id"> }>("/v1/pets", { schema: createSchema }, async ({ body }, reply) => {
    reply.code(201);
    return insert(body);
  });

  app.get<{ Params: { petId: number } }>(
    "/v1/pets/:petId",
    { schema: getSchema },
    async ({ params }, reply) => find(params.petId) ?? reply.code(404).send(NOT_FOUND),
  );

  await app.listen({ port: 0 });
  return (app.server.address() as AddressInfo).port;
}
