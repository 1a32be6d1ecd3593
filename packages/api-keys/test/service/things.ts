import type { OpenedService, ProcessContext } from "@openapi-operations/service/serving";
import { errorBody, type ErrorBody } from "@openapi-operations/service/errors";
import { operationOptions } from "@openapi-operations/service/operation-options";
import { page, type Slice } from "@openapi-operations/service/page";
import type { ServiceProgram } from "@openapi-operations/service/run-service";
import { createServiceApp } from "@openapi-operations/service/service-app";
import { expectValid } from "@openapi-operations/service/stub";
import { databaseHealth } from "@openapi-operations/storage/outage";
import type { Storage } from "@openapi-operations/storage/storage";
import { type Handlers, implement, type Implementation } from "express-operations";
import type { Insertable } from "kysely";
import { holdsApiKey } from "../../src/api-key.ts";
import type { KeyUses } from "../../src/authentication.ts";
import { idempotent } from "../../src/idempotent.ts";
import type { HandlerContext, Schemes } from "../../src/schemes.ts";
import { storageOfRequests } from "../../src/own-writes.ts";
import { securityOptions } from "../../src/security.ts";
import { openKeyedStorage, prepareDatabase } from "../../src/serving.ts";
import { type Database, SCHEMA, type Tables, TABLES } from "../tables.ts";
import { type Config, SCOPES } from "./config.ts";
import { document } from "./things.document.ts";

/** A thing as responses have it. */
export interface Thing {
  id: number;
  name: string;
}

/** The types of `document`, as openapi-typescript generates them with defaults applied. */
interface Operations {
  listThings: {
    parameters: { query: { limit: number; cursor?: string } };
    responses: {
      200: { headers: { Link?: string }; content: { "application/json": Thing[] } };
      400: Failure;
    };
  };
  createThing: {
    parameters: { header?: { "Idempotency-Key"?: string } };
    requestBody: { content: { "application/json": { name: string } } };
    responses: {
      201: { headers: { "Idempotency-Replayed"?: "true" }; content: { "application/json": Thing } };
      400: Failure;
      409: Failure & { headers: { "Retry-After": number } };
      422: Failure;
    };
  };
  getThing: {
    parameters: { path: { thingId: number } };
    responses: { 200: { content: { "application/json": Thing } }; 404: Failure };
  };
}

interface Failure {
  content: { "application/json": ErrorBody };
}

const SCHEMES = { bearerAuth: "apiKey" } as const satisfies Schemes;

/** Prepares the database, before any process serves. */
export const prepare = (config: Config): Promise<void> => prepareDatabase(config, { schema: SCHEMA, scopes: SCOPES });

/** Where tests look at a service from inside. */
export interface Probes {
  /** The storage to serve; default: one of the database in the settings. */
  storage?: Storage<Tables>;
}

/** Returns a whole service: things in a database, with API keys, `Idempotency-Key` and a response cache. */
export function thingsService(config: Config, probes: Probes = {}): Omit<ServiceProgram, "path"> {
  return {
    name: "things",
    version: document.info.version,
    config,
    basePath: "/v1",
    prepare: () => prepare(config),
    greeting: ({ baseUrl, metricsUrl }) => `Things are listening on ${baseUrl}\nMetrics are at ${metricsUrl}`,
    open: (context) => open(config, context, probes),
  };
}

async function open(config: Config, context: ProcessContext, probes: Probes): Promise<OpenedService> {
  const { logger, metrics, tracing, isStopping } = context;
  const opened = await openKeyedStorage<Tables>(config, context);
  const storage = probes.storage ?? opened.storage;
  const app = createServiceApp({
    ...config,
    document,
    basePath: "/v1",
    runInSnapshot: storage.snapshot,
    logger,
    isStopping,
    observer: metrics,
    tracing,
    isSecret: holdsApiKey,
    ...databaseHealth(storage, TABLES, logger),
    api: await operations(config, context, storage, opened.keyUses),
  });
  return { app, stopWaiting: storage.stopWaiting };
}

async function operations(
  config: Config,
  { logger, metrics, shutdown }: ProcessContext,
  storage: Storage<Tables>,
  uses: KeyUses,
): Promise<Implementation> {
  const implementation = implement<Operations, HandlerContext<typeof SCHEMES, Tables>>()({
    ...operationOptions({ ...config, logger, observer: metrics, shutdown }),
    ...(await securityOptions(document, SCHEMES, { ...config, storage, keyUses: uses })),
    document,
    realm: "things",
    context: storageOfRequests(storage),
    cache: { version: "dataVersion", bytes: 2 ** 20 },
    handlers,
  });
  await expectValid(implementation, handlers, logger);
  return implementation;
}

/** Returns the handlers of `document`. */
const handlers: Handlers<Operations, HandlerContext<typeof SCHEMES, Tables>> = {
  listThings: { isCacheable: true, handler: (input) => page(input, (slice) => listThings(input.context.db, slice)) },

  async createThing(input) {
    const { body, caller } = input;
    if (holdsApiKey(body.name))
      return { status: 400, body: errorBody("invalid_request", "The name contains an API key.") };
    const thing = { name: body.name, created_by: caller.id, created_at: Date.now() };
    return idempotent(input, async (trx) => ({ status: 201, body: await insertThing(trx, thing) }));
  },

  getThing: {
    isCacheable: true,
    async handler({ path: { thingId }, context: { db } }) {
      const thing = await db.selectFrom("things").select(["id", "name"]).where("id", "=", thingId).executeTakeFirst();
      return thing === undefined ? { status: 404, body: errorBody("not_found") } : { status: 200, body: thing };
    },
  },
};

function listThings(db: Database, { limit, after = 0 }: Slice): Promise<Thing[]> {
  return db.selectFrom("things").select(["id", "name"]).where("id", ">", after).orderBy("id").limit(limit).execute();
}

/** Adds a thing. */
export function insertThing(db: Database, thing: Insertable<Tables["things"]>): Promise<Thing> {
  return db.insertInto("things").values(thing).returning(["id", "name"]).executeTakeFirstOrThrow();
}
