import { hash, randomUUID } from "node:crypto";
import { openSync, writeSync } from "node:fs";
import type { AddressInfo } from "node:net";
import type { Pet } from "@petstore/contract";
import { inBatches } from "@openapi-operations/service/request-log";
import Fastify, { LogController, type FastifyReply, type FastifyRequest } from "fastify";
import pino from "pino";
import { createSchema, getSchema, listSchema, readBodiesAtOnce, refuse } from "./fastify-schemas.ts";
import { groupInserts } from "./group-inserts.ts";
import {
  bearerToken,
  type KeyRow,
  type ListQuery,
  NOT_FOUND,
  openFile,
  type PeerDatabase,
  prepare,
  refusalOf,
  UNAUTHORIZED,
} from "./peer.ts";

/** The headers that the service sends with each response. */
const DEFAULT_HEADERS = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none';frame-ancestors 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Origin-Agent-Cluster": "?1",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-DNS-Prefetch-Control": "off",
  "X-Download-Options": "noopen",
  "X-Frame-Options": "SAMEORIGIN",
  "X-Permitted-Cross-Domain-Policies": "none",
  "X-XSS-Protection": "0",
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers":
    "Accept-Encoding, Allow, Consistency-Token, Deprecation, ETag, Idempotency-Replayed, Link, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Request-Id",
};
const DEPRECATED = {
  Deprecation: "@1795219200",
  Sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
  Link: '</v1/pets>; rel="successor-version"',
};
const CHALLENGE = { "WWW-Authenticate": 'Bearer realm="petstore", error="invalid_token"' };
const MAX_CACHE_BYTES = 32 * 1024 * 1024;

interface CachedResponse {
  tag: string;
  link: string | undefined;
  payload: string;
}

/**
 * Fastify 5 with every technique of the service: one snapshot for the requests of one turn of the event loop; responses and
 * API keys cached until the database changes; ETag and 304; bodies read synchronously; creations inserted and committed in
 * groups; one log line per request, written in batches; the same headers.
 */
export async function start(database: PeerDatabase): Promise<number> {
  const db = openFile(database);
  const [begin, end] = [db.prepare("begin"), db.prepare("commit")];
  const dataVersion = db.prepare<[], number>("pragma data_version").pluck();
  const { keyOf: findKey, find, pageOf } = prepare(db);
  const insert = groupInserts(openFile(database), (commit) => process.nextTick(commit));

  const isCaching = process.env["PEER_CACHES"] !== "off";
  const keys = new Map<string, KeyRow | undefined>();
  const responses = new Map<string, CachedResponse>();
  let bytes = 0;
  let version: number | undefined;
  const clearChanged = (): void => {
    const current = dataVersion.get();
    if (current === version) return;
    version = current;
    keys.clear();
    responses.clear();
    bytes = 0;
  };
  const cache = (url: string, response: CachedResponse): void => {
    bytes += 2 * response.payload.length + 1_024;
    if (isCaching && bytes <= MAX_CACHE_BYTES) responses.set(url, response);
  };
  const keyOf = (token: string): KeyRow | undefined => {
    if (!isCaching) return findKey(token);
    if (!keys.has(token)) keys.set(token, findKey(token));
    return keys.get(token);
  };

  const devNull = openSync("/dev/null", "w");
  const app = Fastify({
    loggerInstance: pino({}, inBatches({ write: (lines) => writeSync(devNull, lines) })),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    ajv: { customOptions: { removeAdditional: false } },
  });

  readBodiesAtOnce(app);

  let arrived: (() => void)[] = [];
  const resumeAll = (): void => {
    const turn = arrived;
    arrived = [];
    begin.run();
    if (isCaching) clearChanged();
    for (const done of turn) done();
    end.run();
  };
  app.addHook("onRequest", (_request, _reply, done) => {
    arrived.push(done);
    if (arrived.length === 1) setImmediate(resumeAll);
  });

  app.addHook("onRequest", (request, reply, done) => {
    reply.headers({ ...DEFAULT_HEADERS, "X-Request-Id": request.id });
    if (request.routeOptions.url === "/v1/pets/:petId") reply.headers(DEPRECATED);
    const token = bearerToken(request.headers.authorization);
    const refusal = refusalOf(request.method, token === undefined ? undefined : keyOf(token));
    if (refusal === UNAUTHORIZED) reply.headers(CHALLENGE);
    if (refusal !== undefined) return void reply.code(refusal.status).send(refusal);
    const kept = request.method === "GET" ? responses.get(request.url) : undefined;
    if (kept === undefined) return done();
    if (kept.link !== undefined) reply.header("Link", kept.link);
    sendTagged(request, reply, kept);
  });

  app.addHook("onSend", (request, reply, payload, done) => {
    if (
      request.method === "GET" &&
      reply.statusCode === 200 &&
      typeof payload === "string" &&
      !reply.hasHeader("ETag")
    ) {
      const tag = `"${hash("sha256", payload, "base64url").slice(0, 22)}"`;
      cache(request.url, { tag, payload, link: reply.getHeader("Link") as string | undefined });
      reply.headers({ ETag: tag, "Cache-Control": "private, no-cache" });
    }
    done(null, payload);
  });

  app.addHook("onResponse", (request, reply, done) => {
    request.log.info(
      {
        req: { id: request.id, method: request.method, path: request.url },
        res: { status: reply.statusCode },
        responseTime: Math.round(reply.elapsedTime),
      },
      "request completed",
    );
    done();
  });

  app.setErrorHandler(refuse);

  app.get<{ Querystring: ListQuery }>("/v1/pets", { schema: listSchema }, ({ query }, reply) => {
    const { page, link } = pageOf(query);
    if (link !== undefined) reply.header("Link", link);
    reply.send(page);
  });

  app.post<{ Body: Omit<Pet, "id"> }>("/v1/pets", { schema: createSchema }, async ({ body }, reply) => {
    reply.code(201);
    return insert(body);
  });

  app.get<{ Params: { petId: number } }>("/v1/pets/:petId", { schema: getSchema }, ({ params }, reply) => {
    const pet = find(params.petId);
    if (pet === undefined) reply.code(404).send(NOT_FOUND);
    else reply.send(pet);
  });

  await app.listen({ port: 0 });
  return (app.server.address() as AddressInfo).port;
}

function sendTagged(request: FastifyRequest, reply: FastifyReply, { tag, payload }: CachedResponse): void {
  reply.headers({ ETag: tag, "Cache-Control": "private, no-cache" });
  if (request.headers["if-none-match"] === tag) reply.code(304).send();
  else reply.type("application/json").send(payload);
}
