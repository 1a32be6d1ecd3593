import { createServer, type Server } from "node:http";
import formbody from "@fastify/formbody";
import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import * as OpenApiValidator from "express-openapi-validator";
import { fastify, type FastifyInstance } from "fastify";
import glue from "fastify-openapi-glue";
import { OpenAPIBackend } from "openapi-backend";
import { implement } from "express-operations";
import type { Description, DescribedOperation } from "./description.ts";

/** The response of every handler. */
export interface Reply {
  status: number;
  contentType: string | undefined;
  /** A value for JSON, otherwise text. */
  body: unknown;
}

/** A library that serves a document. `reply` returns the response of the operation that is asked. */
export type Contender = (
  document: Description,
  operations: DescribedOperation[],
  reply: () => Reply,
) => Promise<Served>;

/** A server, and what ends it. `error` holds the last error that a handler did not cause. */
export interface Served {
  server: Server;
  lastError: () => unknown;
  close: () => Promise<void>;
}

const BODY_LIMIT = 64 * 2 ** 20;

async function expressOperations(
  document: Description,
  operations: DescribedOperation[],
  reply: () => Reply,
): Promise<Served> {
  const handlers = Object.fromEntries(operations.map(({ id }) => [id, reply]));
  const schemes = Object.keys(document.components?.["securitySchemes"] ?? {});
  const security = Object.fromEntries(schemes.map((name) => [name, () => ({ caller: name })]));
  let lastError: unknown;
  const remember: ErrorRequestHandler = (error, _request, response, _next) => {
    lastError = error;
    if (response.headersSent) response.destroy();
    else response.status(500).end();
  };
  const handle = implement<Record<string, never>>()({
    document: document,
    handlers: handlers as never,
    security,
    bodyLimit: BODY_LIMIT,
    problemFormat: (problem) => {
      lastError = problem;
      return { body: { message: problem.message } };
    },
  });
  return listen(createServer(express().use(handle).use(remember)), () => lastError);
}

/** express-openapi-validator as its README shows, with a handler behind it for every path. */
async function plainEov(document: Description, _operations: DescribedOperation[], reply: () => Reply): Promise<Served> {
  let lastError: unknown;
  const remember: ErrorRequestHandler = (error: { status?: number }, _request, response, _next) => {
    lastError = error;
    response.status(error.status ?? 500).end();
  };
  const answer: RequestHandler = (_request, response) => {
    const { status, contentType, body } = reply();
    response.status(status);
    if (contentType === undefined) response.end();
    else response.type(contentType).end(bytesOf({ contentType, body }));
  };
  const app = express()
    .use(express.json({ limit: BODY_LIMIT, type: ["json", "+json"] }))
    .use(express.urlencoded({ extended: false, limit: BODY_LIMIT }))
    .use(express.text({ limit: BODY_LIMIT }))
    .use(
      OpenApiValidator.middleware({
        apiSpec: { ...document, servers: [{ url: "/" }] } as never,
        validateSecurity: { handlers: anyScheme(document) },
      }),
    )
    .use(answer)
    .use(remember);
  return listen(createServer(app), () => lastError);
}

function anyScheme(document: Description): Record<string, () => boolean> {
  const schemes = Object.keys(document.components?.["securitySchemes"] ?? {});
  return Object.fromEntries(schemes.map((name) => [name, () => true]));
}

async function openapiBackend(
  document: Description,
  operations: DescribedOperation[],
  reply: () => Reply,
): Promise<Served> {
  let lastError: unknown;
  type Result = { status: number; contentType?: string | undefined; body?: unknown };
  const fail = (status: number) => (context: { validation?: { errors?: unknown } }) => {
    lastError = new Error(JSON.stringify(context.validation?.errors ?? status));
    return { status };
  };
  const api = new OpenAPIBackend({ definition: document as never, ajvOpts: { strict: false } });
  for (const { id } of operations) api.register(id, () => reply() as never);
  api.register({
    validationFail: fail(400),
    notFound: fail(404),
    methodNotAllowed: fail(405),
    notImplemented: () => reply(),
  } as never);
  for (const name of Object.keys(anyScheme(document))) api.registerSecurityHandler(name, () => true);
  await api.init();
  const app = express()
    .use(express.json({ limit: BODY_LIMIT, type: ["json", "+json"] }))
    .use(express.urlencoded({ extended: true, limit: BODY_LIMIT }))
    .use(express.text({ limit: BODY_LIMIT }))
    .use(async (request, response) => {
      const { method, path, query, headers } = request;
      const body: unknown = request.body;
      try {
        const result = (await api.handleRequest({
          method,
          path,
          query: query as never,
          headers: headers as never,
          body,
        })) as Result;
        response.status(result.status);
        if (result.contentType === undefined) response.end();
        else response.type(result.contentType).end(bytesOf(result as Reply));
      } catch (error) {
        lastError = error;
        response.status(500).end();
      }
    });
  const failed: ErrorRequestHandler = (error: { status?: number }, _request, response, _next) => {
    lastError = error;
    response.status(error.status ?? 500).end();
  };
  return listen(createServer(app.use(failed)), () => lastError);
}

async function fastifyGlue(
  document: Description,
  operations: DescribedOperation[],
  reply: () => Reply,
): Promise<Served> {
  let lastError: unknown;
  const answer = (
    _request: unknown,
    response: { code: (status: number) => void; type: (type: string) => void; send: (body?: unknown) => unknown },
  ) => {
    const { status, contentType, body } = reply();
    response.code(status);
    if (contentType === undefined) return response.send();
    response.type(contentType);
    return response.send(bytesOf({ contentType, body }));
  };
  const app: FastifyInstance = fastify({ bodyLimit: BODY_LIMIT, ajv: { customOptions: { strict: false } } });
  app.setErrorHandler((error: { statusCode?: number }, _request, response) => {
    lastError = error;
    return response.code(error.statusCode ?? 500).send();
  });
  const names = Object.keys(anyScheme(document));
  await app.register(formbody);
  await app.register(
    glue as never,
    {
      specification: document,
      serviceHandlers: Object.fromEntries(operations.map(({ id }) => [id, answer])),
      securityHandlers: Object.fromEntries(names.map((name) => [name, async () => {}])),
    } as never,
  );
  await app.listen({ port: 0, host: "127.0.0.1" });
  return { server: app.server, lastError: () => lastError, close: () => app.close() };
}

/** Returns the bytes of a reply with a body. */
export function bytesOf({ contentType, body }: Pick<Reply, "contentType" | "body">): string {
  return /json/.test(contentType ?? "") || typeof body !== "string" ? JSON.stringify(body) : body;
}

async function listen(server: Server, lastError: () => unknown): Promise<Served> {
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
  return { server, lastError, close };
}

/** The libraries, by name. */
export const CONTENDERS = {
  "express-operations": expressOperations,
  "express-openapi-validator": plainEov,
  "openapi-backend": openapiBackend,
  "fastify-openapi-glue": fastifyGlue,
} satisfies Record<string, Contender>;

/** The name of a library. */
export type ContenderName = keyof typeof CONTENDERS;
