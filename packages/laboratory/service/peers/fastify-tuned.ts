import { hash, randomUUID } from "node:crypto";
import { openSync, writeSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Pet } from "@petstore/contract";
import { inBatches } from "@platform/service/request-log";
import Sqlite from "better-sqlite3";
import Fastify, { type FastifyError, LogController, type FastifyReply, type FastifyRequest } from "fastify";
import pino from "pino";
import { decodeCursor } from "@platform/service/page";
import { groupInserts } from "./group-inserts.ts";
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
    "Accept-Encoding, Allow, Deprecation, ETag, Idempotency-Replayed, Link, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Request-Id",
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
export async function start({ path, synchronous }: PeerDatabase): Promise<number> {
  const [db, writer] = [new Sqlite(path), new Sqlite(path)];
  for (const file of [db, writer]) {
    file.pragma("journal_mode = wal");
    file.pragma(`synchronous = ${synchronous}`);
  }
  const [begin, end] = [db.prepare("begin"), db.prepare("commit")];
  const dataVersion = db.prepare<[], number>("pragma data_version").pluck();
  const findKey = db.prepare<[string, number], KeyRow>(SQL.key);
  const list = db.prepare<[number, number], Pet>(SQL.list);
  const listByStatus = db.prepare<[string, number, number], Pet>(SQL.listByStatus);
  const find = db.prepare<[number], Pet>(SQL.find);
  const insert = groupInserts(writer);

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
    if (!isCaching) return findKey.get(...keyParameters(token));
    if (!keys.has(token)) keys.set(token, findKey.get(...keyParameters(token)));
    return keys.get(token);
  };

  const devNull = openSync("/dev/null", "w");
  const app = Fastify({
    loggerInstance: pino({}, inBatches({ write: (lines) => writeSync(devNull, lines) })),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    ajv: { customOptions: { removeAdditional: false } },
  });

  const parseJson = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", (request, payload, done) => {
    if (payload.complete) {
      return void parseJson(request, String(payload.read(payload.readableLength) ?? ""), done);
    }
    text(payload).then((body) => void parseJson(request, body, done), done);
  });

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
    const key = token === undefined ? undefined : keyOf(token);
    if (key === undefined) return void reply.code(401).headers(CHALLENGE).send(UNAUTHORIZED);
    if (!key.scopes.includes(request.method === "POST" ? "pets:write" : "pets:read")) {
      return void reply.code(403).send(FORBIDDEN);
    }
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

  app.setErrorHandler((error: FastifyError, _request, reply) => {
    if (error.validation === undefined) return reply.send(error);
    return reply.code(400).send(invalidRequest(explain(error)));
  });

  const failures = { 400: errorSchema, 401: errorSchema, 403: errorSchema, 404: errorSchema };

  app.get<{ Querystring: ListQuery }>(
    "/v1/pets",
    { schema: { querystring: listQuerySchema, response: { 200: { type: "array", items: petSchema }, ...failures } } },
    ({ query }, reply) => {
      const { limit, status, cursor } = query;
      const after = cursor === undefined ? 0 : (decodeCursor(cursor) ?? 0);
      const found = status === undefined ? list.all(after, limit + 1) : listByStatus.all(status, after, limit + 1);
      const page = found.slice(0, limit);
      if (found.length > page.length) reply.header("Link", nextLink(query, page.at(-1)!));
      reply.send(page);
    },
  );

  app.post<{ Body: Omit<Pet, "id"> }>(
    "/v1/pets",
    { schema: { body: newPetSchema, response: { 201: petSchema, ...failures } } },
    async ({ body }, reply) => {
      reply.code(201);
      return insert(body);
    },
  );

  app.get<{ Params: { petId: number } }>(
    "/v1/pets/:petId",
    { schema: { params: petIdSchema, response: { 200: petSchema, ...failures } } },
    ({ params }, reply) => {
      const pet = find.get(params.petId);
      if (pet === undefined) reply.code(404).send(NOT_FOUND);
      else reply.send(pet);
    },
  );

  await app.listen({ port: 0 });
  return (app.server.address() as AddressInfo).port;
}

function sendTagged(request: FastifyRequest, reply: FastifyReply, { tag, payload }: CachedResponse): void {
  reply.headers({ ETag: tag, "Cache-Control": "private, no-cache" });
  if (request.headers["if-none-match"] === tag) reply.code(304).send();
  else reply.type("application/json").send(payload);
}

function explain({ validation = [], validationContext }: FastifyError): string {
  const [first] = validation;
  const name = first?.instancePath.slice(1);
  const subject = validationContext === "querystring" ? `Query parameter "${name}"` : `Body field "${name}"`;
  return `${subject} ${first?.message}.`;
}
