import { basePath, type OperationsWithDefaults } from "@petstore/contract";
import { document } from "@petstore/contract/document";
import { holdsApiKey } from "@openapi-operations/api-keys/api-key";
import type { KeyUses } from "@openapi-operations/api-keys/authentication";
import { storageOfRequests } from "@openapi-operations/api-keys/own-writes";
import { declaredErrorFormat, securityOptions } from "@openapi-operations/api-keys/security";
import { operationOptions } from "@openapi-operations/service/operation-options";
import { createServiceApp } from "@openapi-operations/service/service-app";
import type { ProcessContext } from "@openapi-operations/service/serving";
import { expectValid } from "@openapi-operations/service/stub";
import { databaseHealth } from "@openapi-operations/storage/outage";
import type { Storage } from "@openapi-operations/storage/storage";
import type { Express } from "express";
import { implement, type Implementation } from "express-operations";
import type { Config } from "./config.ts";
import { SERVICE } from "./name.ts";
import { handlers, TABLES, type Tables } from "./registrations.ts";
import type { Context } from "./resources/context.ts";
import { SCHEMES } from "./security.ts";

/** Writes errors as the contract declares them. */
export const errorFormat = declaredErrorFormat(document, SCHEMES);

/** The settings of the app, the parts of its process, and its storage. */
export interface AppOptions extends Config, ProcessContext {
  storage: Storage<Tables>;
  keyUses: KeyUses;
  /** Whether to cache API keys and responses until the data changes. Default: true. */
  isCaching?: boolean | undefined;
}

/** Operations of larger contracts are compiled at their first request, because compiling all of them delays the start. */
const MOST_WARM = 200;

/** The size of the response cache. On PostgreSQL nothing is cached, because there is no data version. */
const RESPONSE_CACHE_BYTES = 32 * 1024 * 1024;

/** Creates the service as an Express app. */
export async function createApp(options: AppOptions): Promise<Express> {
  const { storage, logger, metrics: observer, isCaching = true } = options;
  return createServiceApp({
    ...options,
    observer,
    document,
    codeSamples: async () => (await import("@petstore/contract/code-samples")).codeSamples,
    changelog: async () => (await import("@petstore/contract/changelog")).changelog,
    basePath,
    errorFormat,
    runInSnapshot: isCaching ? storage.snapshot : (run) => storage.snapshot(() => run(undefined, undefined)), // no version, so no caching
    api: await operations(options),
    isSecret: holdsApiKey,
    ...databaseHealth(storage, TABLES, logger),
  });
}

async function operations(options: AppOptions): Promise<Implementation> {
  const { storage, logger, metrics: observer } = options;
  const implementation = implement<OperationsWithDefaults, Context<Tables>>()({
    ...operationOptions({ ...options, observer, errorFormat }),
    ...(await securityOptions(document, SCHEMES, options)),
    document,
    handlers,
    warm: Object.keys(handlers).length <= MOST_WARM,
    realm: SERVICE.name,
    context: storageOfRequests(storage),
    cache: { version: "dataVersion", bytes: RESPONSE_CACHE_BYTES },
  });
  await expectValid(implementation, handlers, logger);
  return implementation;
}
