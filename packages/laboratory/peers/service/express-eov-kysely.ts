import type { AddressInfo } from "node:net";
import type { Pet, PetStatus } from "@petstore/contract";
import { document } from "@petstore/contract/document";
import express, { type ErrorRequestHandler } from "express";
import * as OpenApiValidator from "express-openapi-validator";
import { Kysely, SqliteDialect } from "kysely";
import pino from "pino";
import { pinoHttp } from "pino-http";
import { decodeCursor } from "@openapi-operations/service/page";
import type { Tables } from "../../../../apps/server/src/registrations.ts";
import {
  bearerToken,
  invalidRequest,
  keyParameters,
  nextLink,
  NOT_FOUND,
  openFile,
  type PeerDatabase,
  UNAUTHORIZED,
} from "./peer.ts";

const PET = ["id", "name", "category_id as categoryId", "status"] as const;

/** Express, express-openapi-validator, Kysely and pino-http, each set up as in its README. */
export async function start(database: PeerDatabase): Promise<number> {
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: openFile(database) }) });

  const app = express();
  app.use(pinoHttp({ logger: pino(pino.destination("/dev/null")) }));
  app.use(express.json());
  app.use(
    OpenApiValidator.middleware({
      apiSpec: document as never,
      validateRequests: true,
      validateSecurity: {
        handlers: {
          bearerAuth: async (request, scopes) => {
            const [hash, now] = keyParameters(bearerToken(request.headers.authorization) ?? "");
            const key = await db
              .selectFrom("api_keys")
              .select(["id", "scopes"])
              .where("hash", "=", hash)
              .where("revoked_at", "is", null)
              .where((where) => where.or([where("expires_at", "is", null), where("expires_at", ">", now)]))
              .executeTakeFirst();
            return key !== undefined && scopes.every((scope) => key.scopes.includes(scope));
          },
        },
      },
    }),
  );

  app.get("/v1/pets", async (request, response) => {
    const { limit, status, cursor } = request.query as unknown as {
      limit: number;
      status?: PetStatus;
      cursor?: string;
    };
    const after = cursor === undefined ? undefined : decodeCursor(cursor);
    let query = db
      .selectFrom("pets")
      .select(PET)
      .orderBy("id")
      .limit(limit + 1);
    if (status !== undefined) query = query.where("status", "=", status);
    if (after !== undefined) query = query.where("id", ">", after);
    const found = await query.execute();
    const page = found.slice(0, limit);
    if (found.length > page.length) response.set("Link", nextLink({ limit, status }, page.at(-1)!));
    response.json(page);
  });

  app.post("/v1/pets", async (request, response) => {
    const { name, categoryId, status } = request.body as Omit<Pet, "id">;
    const { id } = await db
      .insertInto("pets")
      .values({ name, category_id: categoryId, status })
      .returning("id")
      .executeTakeFirstOrThrow();
    response.status(201).json({ id, name, categoryId, status });
  });

  app.get("/v1/pets/:petId", async (request, response) => {
    const petId = Number(request.params.petId);
    const pet = await db.selectFrom("pets").select(PET).where("id", "=", petId).executeTakeFirst();
    if (pet === undefined) return void response.status(404).json(NOT_FOUND);
    response.json(pet);
  });

  app.use(((error: { status?: number; errors?: { path: string; message: string }[] }, _request, response, _next) => {
    const [first] = error.errors ?? [];
    if (error.status === 401) return void response.status(401).json(UNAUTHORIZED);
    if (first?.path.startsWith("/query/")) {
      const message = `Query parameter "${first.path.slice("/query/".length)}" ${first.message}.`;
      return void response.status(400).json(invalidRequest(message));
    }
    response.status(error.status ?? 500).json({ message: first?.message, status: error.status });
  }) satisfies ErrorRequestHandler);

  const server = app.listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  return (server.address() as AddressInfo).port;
}
