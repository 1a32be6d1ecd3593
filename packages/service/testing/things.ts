import { once } from "node:events";
import type { Request } from "express";
import { implement, type OpenApiDocument, type SecurityHandler } from "express-operations";
import type { Changelog } from "../src/documents/changelog-page.ts";
import type { ServedDocument } from "../src/documents/contract-document.ts";
import type { ServiceProgram } from "../src/life/run-service.ts";
import type { OpenedService, ProcessContext } from "../src/life/serving.ts";
import { operationOptions } from "../src/operation-options.ts";
import { type ErrorFormat, plainErrors } from "../src/problems.ts";
import { createServiceApp } from "../src/service-app.ts";
import { readSettings, SERVICE_SETTINGS, serviceConfig } from "../src/settings.ts";

interface Thing {
  id: number;
  name: string;
}

/** The types of `document`, as openapi-typescript generates them with defaults applied. */
interface Operations {
  listThings: {
    parameters: { query: { limit: number } };
    responses: { 200: { content: { "application/json": Thing[] } } };
  };
  watchThings: {
    responses: { 200: { content: { "text/event-stream": Thing } } };
  };
  createThing: {
    requestBody: { content: { "application/json": { name: string } } };
    responses: { 201: { content: { "application/json": Thing } } };
  };
}

const failure = {
  description: "A failure.",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
};
const thing = { $ref: "#/components/schemas/Thing" };

/** A contract with the minimum for tests of a service: a list, an event stream, a creation and bearer tokens. */
export const document = {
  openapi: "3.1.0",
  info: { title: "Things", version: "1.2.3" },
  servers: [{ url: "https://things.example/v1" }],
  security: [{ bearerAuth: [] }],
  paths: {
    "/things": {
      get: {
        operationId: "listThings",
        parameters: [
          { name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 100, default: 20 } },
        ],
        responses: {
          200: { description: "Things.", content: { "application/json": { schema: { type: "array", items: thing } } } },
          default: failure,
        },
      },
      post: {
        operationId: "createThing",
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
            },
          },
        },
        responses: {
          201: { description: "The thing.", content: { "application/json": { schema: thing } } },
          default: failure,
        },
      },
    },
    "/things/events": {
      get: {
        operationId: "watchThings",
        responses: {
          200: { description: "Things as events.", content: { "text/event-stream": { schema: thing } } },
          default: failure,
        },
      },
    },
  },
  components: {
    securitySchemes: { bearerAuth: { type: "http", scheme: "bearer" } },
    schemas: {
      Thing: {
        type: "object",
        required: ["id", "name"],
        properties: { id: { type: "integer" }, name: { type: "string", minLength: 1 } },
      },
      Error: {
        type: "object",
        required: ["code", "message", "status"],
        properties: { code: { type: "string" }, message: { type: "string" }, status: { type: "integer" } },
      },
    },
  },
} as const satisfies OpenApiDocument & ServedDocument;

/** Stands for a failure of a dependency, which becomes 503. */
export class Outage extends Error {
  override name = "Outage";
}

/** The options of the service in tests. */
export interface ThingsOptions {
  /** Settings as environment variables. */
  env?: NodeJS.ProcessEnv;
  /** Default: admits the token `good`. */
  security?: SecurityHandler<{ id: number; name: string }>;
  onInvalidCredential?: ((request: Request) => Promise<void>) | undefined;
  /** Whether an error is a failure of a dependency. Default: an `Outage` is. */
  isOutage?: (error: unknown) => boolean;
  /** Awaited by each operation before its response. If it throws, the operation fails. */
  before?: (operationId: string) => unknown;
  /** Default: `/v1`. */
  basePath?: string;
  /** Default: none. */
  changelog?: Changelog;
  /** Default: `ErrorBody`. */
  errorFormat?: ErrorFormat;
  /** Returns the failure that keeps the service from serving. Default: none. */
  findFailure?: () => Promise<{ error: unknown; message: string } | undefined>;
}

/** Returns a service that stores its things in memory. */
export function thingsService({
  env = {},
  security = onlyGood,
  onInvalidCredential = async () => {},
  isOutage = (error) => error instanceof Outage,
  before = () => {},
  basePath = "/v1",
  changelog,
  errorFormat = plainErrors,
  findFailure = async () => undefined,
}: ThingsOptions): Omit<ServiceProgram, "path"> {
  const config = serviceConfig(readSettings(SERVICE_SETTINGS, { PORT: "0", ...env }));
  return {
    name: "things",
    version: document.info.version,
    config,
    basePath,
    errorFormat,
    prepare: async () => {},
    greeting: ({ baseUrl, metricsUrl }) => `Things are listening on ${baseUrl}\nMetrics are at ${metricsUrl}`,
    open: async (context) => open(context),
  };

  async function open({ logger, metrics, tracing, isStopping, shutdown }: ProcessContext): Promise<OpenedService> {
    const things: Thing[] = [];
    const implementation = implement<Operations>()({
      ...operationOptions({ environment: "development", logger, observer: metrics, shutdown, errorFormat }),
      document,
      realm: "things",
      security: { bearerAuth: security },
      onInvalidCredential,
      handlers: {
        listThings: async ({ query }) => {
          await before("listThings");
          return { status: 200, body: things.slice(0, query.limit) };
        },
        watchThings: ({ signal }) => ({ status: 200, body: watch(signal) }),
        createThing: async ({ body }) => {
          await before("createThing");
          const added = { id: things.length + 1, ...body };
          things.push(added);
          return { status: 201, body: added };
        },
      },
    });
    const [broken] = await implementation.ready;
    if (broken !== undefined) throw broken.error;
    const app = createServiceApp({
      ...config,
      document,
      basePath,
      changelog: changelog && (async () => changelog),
      errorFormat,
      runInSnapshot: (run) => run(undefined, undefined),
      logger,
      isStopping,
      observer: metrics,
      tracing,
      isSecret: (text) => text.includes("secret"),
      findFailure,
      outages: {
        isOutage,
        logOutage: (error, req) => logger.error({ err: error, req }, "outage"),
      },
      api: implementation,
    });
    /** Yields the things, and then waits for the end of the request. */
    async function* watch(signal: AbortSignal): AsyncGenerator<Thing> {
      yield* things;
      await before("watchThings");
      if (!signal.aborted) await once(signal, "abort");
    }

    return { app, stopWaiting: () => {} };
  }
}

const onlyGood: SecurityHandler<{ id: number; name: string }> = (token) =>
  token === "good" ? { caller: { id: 1, name: "good" } } : undefined;
