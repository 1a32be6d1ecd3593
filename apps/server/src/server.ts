import { realpathSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { basePath, curlExamples, version } from "@petstore/contract";
import { keyUses } from "@platform/api-keys/authentication";
import { NAME, TITLE } from "@platform/command-line/name";
import { type OpenedService, type ProcessContext, type RunningService, type Service } from "@platform/service/serving";
import type { ServiceProgram } from "@platform/service/run-service";
import { startService } from "@platform/service/start-service";
import { openStorage, type StorageOptions } from "@platform/storage/open-storage";
import type { Logger } from "pino";
import { type AppOptions, createApp, errorFormat } from "./app.ts";
import type { Config } from "./config.ts";
import { prepare } from "./database.ts";
import type { Tables } from "./registrations.ts";

/** The options that only the benchmark changes. */
export type Tuning = Pick<AppOptions, "isCaching"> &
  Pick<StorageOptions<Tables>, "synchronous" | "largestGroup"> & {
    /** Whether Express sets the prototypes of requests and responses. Default: false; Node makes them with these prototypes. */
    isPlain?: boolean;
  };

/** Returns the service as a program that runs in one or more processes. */
export function serviceProgram(config: Config, tuning?: Tuning): ServiceProgram {
  return {
    name: NAME,
    version,
    config,
    basePath,
    errorFormat,
    path: programPath(),
    prepare: () => prepare(config),
    open: (context) => open(config, context, tuning),
    greeting: (service) => greeting(config, service),
  };
}

/** Returns the path of the program as it was started, so that a reload follows a link that leads to another version by then. */
function programPath(): string {
  const path = fileURLToPath(new URL("../bin/service.js", import.meta.url));
  const started = process.argv[1]!; // another program, if that program imports this one
  return realpathSync(started) === realpathSync(path) ? started : path;
}

/** Starts the service in this process. The database must already be prepared. */
export function start(config: Config, logger: Logger, tuning?: Tuning): Promise<Service> {
  return startService(serviceProgram(config, tuning), logger);
}

async function open(
  config: Config,
  context: ProcessContext,
  { isCaching, isPlain = false, ...tuning }: Tuning = {},
): Promise<OpenedService> {
  const storage = openStorage<Tables>(config.databaseUrl, {
    ...tuning,
    onCommit: await storageMetrics(config, context.metrics),
    checkpoints: config.checkpoints,
    watchedTable: "api_keys",
  });
  context.onClose(() => storage.destroy());
  await storage.open().catch(() => {}); // each request tries again and reports the error
  const uses = keyUses(storage.write, context.logger);
  context.onClose(() => uses.close());
  const app = await createApp({ ...config, ...context, storage, keyUses: uses, isCaching });
  const listener: OpenedService["app"] = isPlain ? (request, response) => void app(request, response) : app;
  return { app: listener, stopWaiting: storage.stopWaiting };
}

/** Loads the metrics of storage only if metrics are configured. */
async function storageMetrics({ databaseUrl, backupFolder }: Config, metrics: ProcessContext["metrics"]) {
  if (metrics === undefined) return undefined;
  const { addStorageMetrics } = await import("@platform/storage/storage-metrics");
  return addStorageMetrics(metrics.registry, databaseUrl, backupFolder);
}

function greeting(config: Config, { baseUrl, metricsUrl }: RunningService): string {
  const processes = config.processes === 1 ? "" : `, ${config.processes} processes`;
  const lines = [`${TITLE} ${version} (${config.environment}${processes}) is listening on ${baseUrl}`];
  lines.push(`Try every operation in the API reference at ${new URL("/docs", baseUrl).href}`);
  if (metricsUrl !== undefined) lines.push(`Metrics are at ${metricsUrl}`);
  if (config.environment === "development") {
    const keyFile = relative(process.cwd(), config.quickstartFile).replaceAll("\\", "/");
    const shells = process.platform === "win32" ? ", in PowerShell 7 or Git Bash" : ""; // others read $(cat …) as text
    const curls = curlExamples.map((curl) => curl.replaceAll("{key}", `$(cat ${keyFile})`).replace("{url}", baseUrl));
    lines.push(
      "",
      `Try it from another terminal${shells}:`,
      ...curls.map((curl) => `  ${curl}`),
      "",
      "Ctrl+C stops it.",
      "",
    );
  }
  return lines.join("\n");
}
