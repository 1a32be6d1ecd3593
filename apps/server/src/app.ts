import { basePath, type OperationsWithDefaults, scopes } from "@petstore/contract";
import { document } from "@petstore/contract/document";
import { holdsApiKey } from "@platform/api-keys/api-key";
import { authentication, type KeyUses } from "@platform/api-keys/authentication";
import { withRateLimits } from "@platform/api-keys/rate-limits";
import { expectValidScopes } from "@platform/api-keys/keys.repository";
import { NAME } from "@platform/command-line/name";
import { operationOptions } from "@platform/service/operation-options";
import { type ErrorFormat, problem } from "@platform/service/problems";
import { createServiceApp } from "@platform/service/service-app";
import type { ProcessContext } from "@platform/service/serving";
import { isStub } from "@platform/service/stub";
import { isDatabaseUnavailable } from "@platform/storage/database-error";
import { findDatabaseFailure, outageLog } from "@platform/storage/outage";
import type { Storage } from "@platform/storage/storage";
import type { Express } from "express";
import { implement, type Implementation } from "express-operations";
import { declaredErrors } from "express-operations/declared-errors";
import { securityScheme } from "openapi-document";
import type { Config } from "./config.ts";
import { handlers, TABLES, type Tables } from "./registrations.ts";
import type { Context } from "./resources/context.ts";
import { CREDENTIALS, securityHandlers } from "./security.ts";

const declared = declaredErrors(document);

/** Each 401 has the same message, whatever is wrong with the credentials. */
const unauthorized = problem("unauthorized", undefined, CREDENTIALS);

/** Writes errors as the contract declares them. */
export const errorFormat: ErrorFormat = (sent, context) => declared(sent.status === 401 ? unauthorized : sent, context);

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
  expectValidScopes(scopes);
  const findFailure = () => findDatabaseFailure(storage, Object.keys(TABLES));
  return createServiceApp({
    ...options,
    observer,
    document,
    codeSamples: async () => (await import("@petstore/contract/code-samples")).codeSamples,
    basePath,
    errorFormat,
    runInSnapshot: isCaching ? storage.snapshot : (run) => storage.snapshot(() => run(undefined, undefined)), // no version, so no caching
    api: await operations(options),
    isSecret: holdsApiKey,
    findFailure,
    outages: {
      isOutage: isDatabaseUnavailable,
      logOutage: outageLog(logger, async () => (await findFailure()) === undefined),
    },
  });
}

async function operations(options: AppOptions): Promise<Implementation> {
  const { storage, keyUses, rateLimits, metrics: observer } = options;
  const handlersOfSchemes = securityHandlers(authentication(storage.db, keyUses, options.environment), options);
  const passwords = Object.keys(handlersOfSchemes).filter(
    (name) => securityScheme(document, name)?.scheme?.toLowerCase() === "basic",
  );
  const implementation = implement<OperationsWithDefaults, Context<Tables>>()({
    ...operationOptions({ ...options, observer, errorFormat }),
    document,
    handlers,
    warm: Object.keys(handlers).length <= MOST_WARM,
    realm: NAME,
    ...withRateLimits(rateLimits, storage.db, handlersOfSchemes, passwords),
    context: storage,
    cache: { version: "dataVersion", bytes: RESPONSE_CACHE_BYTES },
  });
  for (const { operationId, error } of await implementation.ready) {
    if (!isStub((handlers as Record<string, object>)[operationId])) throw error;
    options.logger.warn({ operationId, reason: (error as Error).message }, "the schemas of a stub are invalid");
  }
  return implementation;
}
