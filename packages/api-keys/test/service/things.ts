import type { OpenedService, ProcessContext } from "@platform/service/serving";
import { errorBody, type ErrorBody } from "@platform/service/errors";
import { operationOptions } from "@platform/service/operation-options";
import { page, type Slice } from "@platform/service/page";
import type { ServiceProgram } from "@platform/service/run-service";
import { createServiceApp } from "@platform/service/service-app";
import { openDatabase } from "@platform/storage/database";
import { isDatabaseUnavailable } from "@platform/storage/database-error";
import { findDatabaseFailure, outageLog } from "@platform/storage/outage";
import { migrate } from "@platform/storage/migrations";
import { openStorage } from "@platform/storage/open-storage";
import type { Storage } from "@platform/storage/storage";
import { addStorageMetrics } from "@platform/storage/storage-metrics";
import { type Handlers, implement, type Implementation } from "express-operations";
import type { Insertable } from "kysely";
import { holdsApiKey } from "../../src/api-key.ts";
import { authentication, type HandlerContext, keyUses, type KeyUses } from "../../src/authentication.ts";
import { ensureBootstrapKey, ensureQuickstartKey } from "../../src/first-keys.ts";
import { idempotent } from "../../src/idempotent.ts";
import { withRateLimits } from "../../src/rate-limits.ts";
import { type Database, MIGRATIONS, type Tables, TABLES } from "../tables.ts";
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

/** Migrates the database and creates the first keys. */
export async function prepare(config: Config): Promise<void> {
  const db = openDatabase<Tables>(config.databaseUrl);
  try {
    await migrate(db, MIGRATIONS, { mayBeNewer: true });
    if (config.bootstrapKeyFile !== undefined)
      await ensureBootstrapKey(db, config.bootstrapKeyFile, config.environment);
    if (config.environment === "development") await ensureQuickstartKey(db, config.quickstartFile, SCOPES);
  } finally {
    await db.destroy();
  }
}

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
  const { logger, metrics, tracing, isStopping, onClose } = context;
  const storage =
    probes.storage ??
    openStorage<Tables>(config.databaseUrl, {
      watchedTable: "api_keys",
      onCommit: metrics && addStorageMetrics(metrics.registry, config.databaseUrl),
    });
  onClose(() => storage.destroy());
  await storage.open().catch(() => {}); // each request tries again and reports the error
  const uses = keyUses(storage.write, logger);
  onClose(() => uses.close());
  const findFailure = () => findDatabaseFailure(storage, Object.keys(TABLES));
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
    findFailure,
    outages: {
      isOutage: isDatabaseUnavailable,
      logOutage: outageLog(logger, async () => (await findFailure()) === undefined),
    },
    api: await operations(config, context, storage, uses),
  });
  return { app, stopWaiting: storage.stopWaiting };
}

async function operations(
  config: Config,
  { logger, metrics, shutdown }: ProcessContext,
  storage: Storage<Tables>,
  uses: KeyUses,
): Promise<Implementation> {
  const security = { bearerAuth: authentication(storage.db, uses, config.environment) };
  const implementation = implement<Operations, HandlerContext<Tables>>()({
    ...operationOptions({ ...config, logger, observer: metrics, shutdown }),
    document,
    realm: "things",
    ...withRateLimits(config.rateLimits, storage.db, security),
    context: storage,
    cache: { version: "dataVersion", bytes: 2 ** 20 },
    handlers,
  });
  const [broken] = await implementation.ready;
  if (broken !== undefined) throw broken.error;
  return implementation;
}

/** Returns the handlers of `document`. */
const handlers: Handlers<Operations, HandlerContext<Tables>> = {
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
