import { existsSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { version } from "@petstore/contract";
import { keyUses } from "@platform/api-keys/authentication";
import { CloseStack } from "@platform/service/close-stack";
import type { ServiceProgram } from "@platform/service/run-service";
import type { OpenedService, Service, RunningService, ProcessContext } from "@platform/service/serving";
import { startService } from "@platform/service/start-service";
import { openStorage, type StorageOptions } from "@platform/storage/open-storage";
import type { Logger } from "pino";
import { type AppOptions, BASE_PATH, createApp } from "./app.ts";
import type { Config } from "./config.ts";
import { prepare } from "./prepare.ts";
import type { Tables } from "./registrations.ts";

/** The options that only the benchmark changes. */
export type Tuning = Pick<AppOptions, "isCaching"> & Pick<StorageOptions, "synchronous" | "largestGroup">;

/** Returns the petstore as a program that runs in one or more processes. */
export function petstore(config: Config, tuning?: Tuning): ServiceProgram {
  return {
    name: "petstore",
    version,
    config,
    basePath: BASE_PATH,
    path: fileURLToPath(new URL("../bin/petstore.js", import.meta.url)),
    prepare: () => prepare(config),
    open: (context) => open(config, context, tuning),
    greeting: (service) => greeting(config, service),
  };
}

/** Starts the petstore in this process. The database must already be prepared. */
export function start(config: Config, logger: Logger, tuning?: Tuning): Promise<Service> {
  return startService(petstore(config, tuning), logger);
}

async function open(
  config: Config,
  { logger, metrics, tracing, isStopping, shutdown }: ProcessContext,
  { synchronous, largestGroup, ...tuning }: Tuning = {},
): Promise<OpenedService> {
  const closeStack = new CloseStack();
  try {
    const storage = openStorage<Tables>(config.databaseUrl, {
      onCommit: await storageMetrics(config, metrics),
      synchronous,
      largestGroup,
    });
    closeStack.add(() => storage.destroy());
    await storage.open().catch(() => {}); // each request tries again and reports the error
    const uses = keyUses(storage.write, logger);
    closeStack.add(() => uses.close());
    const { environment, maxInFlight, trustProxy, rateLimits, strictTransportSecurity } = config;
    const settings = { environment, maxInFlight, trustProxy, rateLimits, strictTransportSecurity };
    const app = await createApp({
      ...settings,
      ...tuning,
      storage,
      keyUses: uses,
      logger,
      isStopping,
      shutdown,
      observer: metrics,
      tracing,
    });
    return { app, stopWaiting: storage.stopWaiting, close: () => closeStack.close() };
  } catch (error) {
    await closeStack.close();
    throw error;
  }
}

/** Loads the metrics of storage only if metrics are configured. */
async function storageMetrics({ databaseUrl }: Config, metrics: ProcessContext["metrics"]) {
  if (metrics === undefined) return undefined;
  const { addStorageMetrics } = await import("@platform/storage/storage-metrics");
  return addStorageMetrics(metrics.registry, databaseUrl);
}

function greeting(config: Config, { baseUrl, metricsUrl }: RunningService): string {
  const processes = config.processes === 1 ? "" : `, ${config.processes} processes`;
  const lines = [`Petstore ${version} (${config.environment}${processes}) is listening on ${baseUrl}`];
  lines.push(`Try every operation in the API reference at ${new URL("/docs", baseUrl).href}`);
  if (metricsUrl !== undefined) lines.push(`Metrics are at ${metricsUrl}`);
  const keyFile = relative(process.cwd(), config.quickstartFile);
  if (config.environment === "development" && existsSync(keyFile)) {
    const curl = `curl -i -H "Authorization: Bearer $(cat ${keyFile})"`;
    lines.push(
      "",
      "Try it from another terminal:",
      `  ${curl} ${baseUrl}/pets`,
      `  ${curl} -H 'Content-Type: application/json' -d '{"name":"Rex","categoryId":1}' ${baseUrl}/pets`,
      "",
      "Ctrl+C stops it.",
      "",
    );
  }
  return lines.join("\n");
}
