import type { AddressInfo } from "node:net";
import type { Pet } from "@petstore/contract";
import Fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import pino from "pino";
import { createSchema, getSchema, listSchema, refuse } from "./fastify-schemas.ts";
import {
  bearerToken,
  type KeyRow,
  type ListQuery,
  NOT_FOUND,
  openFile,
  type Page,
  type PeerDatabase,
  prepare,
  refusalOf,
} from "./peer.ts";

type NewPet = Omit<Pet, "id">;

/** The queries of the three operations, and of the API key. */
interface Queries {
  keyOf: (token: string) => KeyRow | undefined | Promise<KeyRow | undefined>;
  find: (id: number) => Pet | undefined | Promise<Pet | undefined>;
  insert: (pet: NewPet, request: FastifyRequest, reply: FastifyReply) => Pet | Promise<Pet | FastifyReply>;
  pageOf: (query: ListQuery) => Page | Promise<Page>;
}

declare module "fastify" {
  interface FastifyRequest {
    apiKey: KeyRow | undefined;
  }
}

export function start(database: PeerDatabase): Promise<number> {
  return serve(prepare(openFile(database)));
}

/** Fastify 5 as documented, with a logger, hooks, JSON schemas for requests and responses, and prepared statements. */
export async function serve({ keyOf, find, insert, pageOf }: Queries): Promise<number> {
  const app = Fastify({
    loggerInstance: pino(pino.destination("/dev/null")),
    ajv: { customOptions: { removeAdditional: false } },
  });

  app.decorateRequest("apiKey", undefined);
  app.addHook("onRequest", async (request, reply) => {
    const token = bearerToken(request.headers.authorization);
    request.apiKey = token === undefined ? undefined : await keyOf(token);
    const refusal = refusalOf(request.method, request.apiKey);
    if (refusal !== undefined) return reply.code(refusal.status).send(refusal);
  });
  app.setErrorHandler(refuse);

  app.get<{ Querystring: ListQuery }>("/v1/pets", { schema: listSchema }, async ({ query }, reply) => {
    const { page, link } = await pageOf(query);
    if (link !== undefined) reply.header("Link", link);
    return page;
  });

  app.post<{ Body: NewPet }>("/v1/pets", { schema: createSchema }, async (request, reply) => {
    reply.code(201);
    return insert(request.body, request, reply);
  });

  app.get<{ Params: { petId: number } }>(
    "/v1/pets/:petId",
    { schema: getSchema },
    async ({ params }, reply) => (await find(params.petId)) ?? reply.code(404).send(NOT_FOUND),
  );

  await app.listen({ port: 0 });
  return (app.server.address() as AddressInfo).port;
}
