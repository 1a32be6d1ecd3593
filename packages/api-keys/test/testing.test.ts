import { operationOptions } from "@openapi-operations/service/operation-options";
import { createServiceApp } from "@openapi-operations/service/service-app";
import { readSettings, SERVICE_SETTINGS, serviceConfig } from "@openapi-operations/service/settings";
import { startService } from "@openapi-operations/service/start-service";
import { expectValid, stub } from "@openapi-operations/service/stub";
import { databaseHealth } from "@openapi-operations/storage/outage";
import { DATABASE_SETTINGS, databaseConfig } from "@openapi-operations/storage/settings";
import { implement } from "express-operations";
import type { Logger } from "pino";
import { expect, test } from "vitest";
import { holdsApiKey } from "../src/api-key.ts";
import { type HandlerContext, type Schemes, securityConfig, securitySettings } from "../src/schemes.ts";
import { declaredErrorFormat, securityOptions } from "../src/security.ts";
import { openKeyedStorage, prepareDatabase } from "../src/serving.ts";
import { API_KEY_SETTINGS, apiKeyConfig } from "../src/settings.ts";
import { starterOf, testConformance } from "../src/testing/start-service.ts";
import { SCHEMA, type Tables, TABLES } from "./tables.ts";

const content = (schema: object) => ({ "application/json": { schema } });
const error = {
  type: "object",
  required: ["code", "message", "status"],
  properties: { code: { type: "string" }, message: { type: "string" }, status: { type: "integer" } },
};
const operation = (operationId: string, ...security: object[]) => ({
  operationId,
  security,
  responses: {
    200: { description: "The caller's id.", content: content({ type: "string" }) },
    default: { description: "A failure.", content: content(error) },
  },
});

/** A contract with credentials of each kind. */
const document = {
  openapi: "3.1.0",
  info: { title: "Callers", version: "1.0.0" },
  paths: {
    "/keys": { get: operation("getKey", { key: [] }) },
    "/tokens": { get: operation("getToken", { oauth: ["callers:read"] }) },
    "/users": { get: operation("getUser", { user: [] }) },
    "/either": { get: operation("getEither", { user: [] }, { key: [] }) },
    "/everyone": { get: operation("getEveryone") },
    "/later": { get: operation("getLater", { key: [] }) },
  },
  components: {
    securitySchemes: {
      key: { type: "apiKey", in: "query", name: "api_key" },
      oauth: { type: "oauth2", flows: {} },
      user: { type: "http", scheme: "basic" },
    },
  },
};

const SCHEMES = {
  key: "apiKey",
  oauth: "token",
  user: (credential: string) => (credential === "ann:secret" ? { caller: { id: "ann", name: "Ann" } } : undefined),
} as const satisfies Schemes;

const handler = ({ caller }: { caller?: { id: number | string } }) => ({
  status: 200 as const,
  body: String(caller?.id ?? "nobody"),
});
const handlers = {
  getKey: handler,
  getToken: handler,
  getUser: handler,
  getEither: handler,
  getEveryone: handler,
  getLater: stub(),
};

interface Answer {
  responses: { 200: { content: { "application/json": string } } };
}
type Operations = Record<keyof typeof handlers, Answer>;

function readConfig(env: NodeJS.ProcessEnv) {
  const settings = { ...SERVICE_SETTINGS, ...DATABASE_SETTINGS, ...API_KEY_SETTINGS, ...securitySettings(SCHEMES) };
  const data = readSettings(settings, env);
  return { ...serviceConfig(data), ...databaseConfig(data), ...apiKeyConfig(data), ...securityConfig(data) };
}
type Config = ReturnType<typeof readConfig>;

const errorFormat = declaredErrorFormat(document, SCHEMES);
const scopes = ["callers:read"];
const startBelow = (basePath: string) =>
  starterOf({
    document,
    schemes: SCHEMES,
    secrets: { user: "ann:secret" },
    scopes,
    readConfig,
    prepare: (config: Config) => prepareDatabase(config, { schema: SCHEMA, scopes }),
    start: (config: Config, logger: Logger) =>
      startService(
        {
          name: "callers",
          version: "1.0.0",
          config,
          basePath,
          errorFormat,
          open: async (context) => {
            const opened = await openKeyedStorage<Tables>(config, context);
            const api = implement<Operations, HandlerContext<typeof SCHEMES, Tables>>()({
              ...operationOptions({ ...config, logger, shutdown: context.shutdown, errorFormat }),
              ...(await securityOptions(document, SCHEMES, { ...config, ...opened })),
              document,
              handlers,
              context: opened.storage,
            });
            await expectValid(api, handlers, logger);
            const { storage } = opened;
            const app = createServiceApp({
              ...config,
              ...context,
              document,
              basePath,
              errorFormat,
              api,
              isSecret: holdsApiKey,
              runInSnapshot: storage.snapshot,
              ...databaseHealth(storage, TABLES, logger),
            });
            return { app, stopWaiting: storage.stopWaiting };
          },
        },
        logger,
      ),
  });

const start = startBelow("/v1");

testConformance(document, handlers, start);

test("a request has the credentials of its operation, those of another key, or none", async () => {
  await using service = await start();
  const answer = async (path: string, init = {}) => {
    const response = await service.request(path, init);
    return [response.status, ((await response.json()) as { code?: string }).code];
  };
  const bodyOf = async (path: string): Promise<unknown> => (await service.request(path)).json();
  expect(await bodyOf("/keys")).toBe("1");
  expect(await bodyOf("/tokens")).toBe("tester");
  expect(await bodyOf("/users")).toBe("ann");
  expect(await bodyOf("/either")).toBe("ann");
  expect(await bodyOf("/everyone")).toBe("nobody");
  expect(await answer("/later")).toEqual([501, "not_implemented"]);
  expect(await answer("/keys", { key: "another" })).toEqual([401, "unauthorized"]);
  expect(await answer("/keys", { key: null })).toEqual([401, "unauthorized"]);
  expect(await answer("/users", { headers: { Authorization: `Basic ${btoa("ann:guess")}` } })).toEqual([
    401,
    "unauthorized",
  ]);
});

test("requests reach a service without a base path", async () => {
  await using service = await startBelow("")();
  expect((await service.request("/everyone")).status).toBe(200);
});
