import { basePath, curlExamples, version } from "@petstore/contract";
import { greeting, openKeyedStorage, prepareDatabase } from "@openapi-operations/api-keys/serving";
import { programPath, type ServiceProgram } from "@openapi-operations/service/run-service";
import type { OpenedService, ProcessContext, Service } from "@openapi-operations/service/serving";
import { startService } from "@openapi-operations/service/start-service";
import type { StorageOptions } from "@openapi-operations/storage/open-storage";
import type { Logger } from "pino";
import { type AppOptions, createApp, errorFormat } from "./app.ts";
import type { Config } from "./config.ts";
import { DEFINITION } from "./definition.ts";
import { SERVICE } from "./name.ts";
import type { Tables } from "./registrations.ts";

/** The options that only the benchmark changes. */
export type Tuning = Pick<AppOptions, "isCaching"> & Pick<StorageOptions<Tables>, "synchronous" | "largestGroup">;

/** Returns the service as a program that runs in one or more processes. */
export function serviceProgram(config: Config, tuning?: Tuning): ServiceProgram {
  return {
    name: SERVICE.name,
    version,
    config,
    basePath,
    errorFormat,
    path: programPath(new URL("../bin/service.js", import.meta.url)),
    prepare: () => prepare(config),
    open: (context) => open(config, context, tuning),
    greeting: (service) => greeting(service, config, { version, curlExamples }),
  };
}

/** Prepares the database, before any process serves. */
export function prepare(config: Config): Promise<void> {
  return prepareDatabase(config, DEFINITION);
}

/** Starts the service in this process. The database must already be prepared. */
export function start(config: Config, logger: Logger, tuning?: Tuning): Promise<Service> {
  return startService(serviceProgram(config, tuning), logger);
}

async function open(
  config: Config,
  context: ProcessContext,
  { isCaching, ...tuning }: Tuning = {},
): Promise<OpenedService> {
  const { storage, keyUses } = await openKeyedStorage<Tables>(config, context, tuning);
  const app = await createApp({ ...config, ...context, storage, keyUses, isCaching });
  return { app, stopWaiting: storage.stopWaiting };
}
