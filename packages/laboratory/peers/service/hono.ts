import type { AddressInfo } from "node:net";
import type { Server } from "node:http";
import { serve } from "@hono/node-server";
import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { bearerAuth } from "hono/bearer-auth";
import { logger } from "hono/logger";
import pino from "pino";
import { invalidRequest, NOT_FOUND, openFile, type PeerDatabase, prepare, refusalOf, UNAUTHORIZED } from "./peer.ts";

const PetStatus = z.enum(["available", "pending", "sold"]);
const NewPet = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(255)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u),
  categoryId: z.int(),
  status: PetStatus.default("available"),
});
const PetSchema = z.object({ id: z.int(), name: z.string(), categoryId: z.int(), status: PetStatus }).openapi("Pet");
const ErrorSchema = z.object({ code: z.string(), message: z.string(), status: z.int() }).openapi("Error");
const ListQuerySchema = z.strictObject({
  limit: z.coerce.number().int().min(1, "must be >= 1").max(100, "must be <= 100").default(20),
  status: PetStatus.optional(),
  cursor: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .optional(),
});

const json = <Schema extends z.ZodType>(schema: Schema) => {
  return { description: "", content: { "application/json": { schema } } };
};

const listPets = createRoute({
  method: "get",
  path: "/v1/pets",
  request: { query: ListQuerySchema },
  responses: { 200: json(z.array(PetSchema)), 400: json(ErrorSchema) },
});
const createPet = createRoute({
  method: "post",
  path: "/v1/pets",
  request: { body: { required: true, ...json(NewPet) } },
  responses: { 201: json(PetSchema), 400: json(ErrorSchema) },
});
const getPet = createRoute({
  method: "get",
  path: "/v1/pets/{petId}",
  request: { params: z.object({ petId: z.coerce.number().int() }) },
  responses: { 200: json(PetSchema), 404: json(ErrorSchema) },
});

/** Hono on Node with @hono/zod-openapi, its bearer authentication, its logger, and prepared statements. */
export async function start(database: PeerDatabase): Promise<number> {
  const { keyOf, find, insert, pageOf } = prepare(openFile(database));

  const app = new OpenAPIHono({
    defaultHook: (result, c) => {
      if (result.success) return;
      const [issue] = result.error.issues;
      const place = result.target === "query" ? "Query parameter" : "Body field";
      return c.json(invalidRequest(`${place} "${issue?.path.join(".")}" ${issue?.message}.`), 400);
    },
  });
  const log = pino.destination("/dev/null");
  app.use(logger((line) => void log.write(`${line}\n`)));
  app.use(
    bearerAuth({
      verifyToken: (token, c) => refusalOf(c.req.method, keyOf(token)) === undefined,
      noAuthenticationHeader: { message: UNAUTHORIZED },
      invalidAuthenticationHeader: { message: UNAUTHORIZED },
      invalidToken: { message: UNAUTHORIZED },
    }),
  );

  app.openapi(listPets, (c) => {
    const { page, link } = pageOf(c.req.valid("query"));
    if (link !== undefined) c.header("Link", link);
    return c.json(page, 200);
  });

  app.openapi(createPet, (c) => c.json(insert(c.req.valid("json")), 201));

  app.openapi(getPet, (c) => {
    const pet = find(c.req.valid("param").petId);
    return pet === undefined ? c.json(NOT_FOUND, 404) : c.json(pet, 200);
  });

  const server = await new Promise<Server>((done) => {
    const listening = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, () => done(listening as Server));
  });
  return (server.address() as AddressInfo).port;
}
