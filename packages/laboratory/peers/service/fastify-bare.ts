import type { AddressInfo } from "node:net";
import type { Pet } from "@petstore/contract";
import Fastify, { type FastifyReply, type FastifyRequest, type RouteHandlerMethod } from "fastify";
import { createSchema, getSchema, listSchema, readBodiesAtOnce } from "./fastify-schemas.ts";
import { groupInserts } from "./group-inserts.ts";
import {
  invalidRequest,
  type KeyRow,
  NOT_FOUND,
  openFile,
  type Page,
  type PeerDatabase,
  prepare,
  refusalOf,
} from "./peer.ts";

const MOST_KEPT = 1_000;
const INVALID_LIMIT = invalidRequest('Query parameter "limit" must be from 1 to 100.');
const INVALID_BODY = invalidRequest("The body must be an object with a name and a categoryId.");

interface CachedResponse {
  link: string | undefined;
  payload: string;
}

/**
 * Fastify 5 for raw speed: without log, hooks, default headers and ETags, and with few checks. Keys are cached, and responses
 * until this process, the only one that writes, creates an animal. Creations of one turn of the event loop are committed together.
 */
export async function start(database: PeerDatabase): Promise<number> {
  const { keyOf, find, pageOf } = prepare(openFile(database));
  const insert = groupInserts(openFile(database), setImmediate);
  const keys = new Map<string, KeyRow | undefined>();
  const responses = new Map<string, CachedResponse>();

  const keyOfHeader = (authorization = ""): KeyRow | undefined => {
    if (!keys.has(authorization)) keep(keys, authorization, keyOf(authorization.replace(/^bearer +/i, "")));
    return keys.get(authorization);
  };
  const isRefused = ({ method, headers }: FastifyRequest, reply: FastifyReply): boolean => {
    const refusal = refusalOf(method, keyOfHeader(headers.authorization));
    if (refusal !== undefined) fail(reply, refusal);
    return refusal !== undefined;
  };
  /** Returns a handler that responds from the cache, or with the result of `read`, or with a failure. */
  const cached =
    (read: (request: FastifyRequest) => Page | Pet | Failure): RouteHandlerMethod =>
    (request, reply) => {
      if (isRefused(request, reply)) return;
      let response = responses.get(request.url);
      if (response === undefined) {
        const result = read(request);
        if ("code" in result) return fail(reply, result);
        const { page, link } = "page" in result ? result : { page: result };
        response = { link, payload: reply.serialize(page) as string };
        keep(responses, request.url, response);
      }
      if (response.link !== undefined) reply.header("link", response.link);
      send(reply, response.payload);
    };

  const app = Fastify({ exposeHeadRoutes: false });
  readBodiesAtOnce(app);
  app.get(
    "/v1/pets",
    { schema: { response: listSchema.response } },
    cached(({ query }) => {
      const { limit: text, cursor } = query as { limit?: string; cursor?: string };
      const limit = Number(text ?? 20);
      return Number.isInteger(limit) && limit >= 1 && limit <= 100 ? pageOf({ limit, cursor }) : INVALID_LIMIT;
    }),
  );
  app.get(
    "/v1/pets/:petId",
    { schema: { response: getSchema.response } },
    cached(({ params }) => find(Number((params as { petId: string }).petId)) ?? NOT_FOUND),
  );
  app.post<{ Body: unknown }>("/v1/pets", { schema: { response: createSchema.response } }, (request, reply) => {
    if (isRefused(request, reply)) return;
    const { name, categoryId, status = "available" } = (request.body ?? {}) as Partial<Pet>;
    const isStatus = status === "available" || status === "pending" || status === "sold";
    if (typeof name !== "string" || name === "" || !Number.isSafeInteger(categoryId) || !isStatus)
      return fail(reply, INVALID_BODY);
    insert({ name, categoryId: categoryId!, status }).then(
      (pet) => {
        responses.clear();
        send(reply.code(201), reply.serialize(pet) as string);
      },
      (error: unknown) => void reply.send(error),
    );
  });

  await app.listen({ port: 0 });
  return (app.server.address() as AddressInfo).port;
}

type Failure = ReturnType<typeof invalidRequest>;

function fail(reply: FastifyReply, failure: Failure): void {
  send(reply.code(failure.status), JSON.stringify(failure));
}

function send(reply: FastifyReply, payload: string): void {
  reply.header("content-type", "application/json; charset=utf-8").send(payload);
}

function keep<Value>(cache: Map<string, Value>, name: string, value: Value): void {
  if (cache.size >= MOST_KEPT) cache.clear();
  cache.set(name, value);
}
