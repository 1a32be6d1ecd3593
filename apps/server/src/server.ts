import { existsSync } from "node:fs";
import { relative } from "node:path";
import { setTimeout } from "node:timers/promises";
import { version } from "@petstore/contract";
import type { Logger } from "pino";
import { BASE_PATH, createApp } from "./app.ts";
import type { Config } from "./config.ts";
import { listen } from "./http.ts";
import { ensureBootstrapKey } from "./keys/bootstrap.ts";
import { keyUses } from "./keys/key-uses.ts";
import { ensureQuickstartKey } from "./keys/quickstart.ts";
import { migrate } from "./migrations.ts";
import { createLogger } from "./request-log.ts";
import { openStorage } from "./storage.ts";
import type { Tracing } from "./tracing.ts";

/** The service at work. */
export interface Service {
  baseUrl: string;
  /** Where Prometheus finds its metrics, if anywhere. */
  metricsUrl: string | undefined;
  /** Announces the end: from now on `/readyz` fails, and each answer ends its connection. New ones are still accepted. */
  drain: () => void;
  /** Accepts nothing more, finishes what is in flight, and closes the database. */
  close: () => Promise<void>;
}

/** Migrates the database, sees to the first keys, and listens. */
export async function start(config: Config, logger: Logger): Promise<Service> {
  await using resources = new AsyncDisposableStack();
  const metrics = await openMetrics(config, resources);
  const tracing = await openTracing(config, resources);
  const storage = openStorage(config.databaseUrl, metrics?.onCommit);
  resources.defer(() => storage.destroy());
  const uses = keyUses(storage.write, logger);
  resources.defer(() => uses.close());
  await migrate(storage.db);
  if (config.bootstrapKeyFile !== undefined) await ensureBootstrapKey(storage.db, config.bootstrapKeyFile);
  if (config.environment === "development") await ensureQuickstartKey(storage.db, config.quickstartFile);
  let isStopping = false;
  const app = await createApp({
    storage,
    keyUses: uses,
    logger,
    environment: config.environment,
    maxInFlight: config.maxInFlight,
    rateLimits: config.rateLimits,
    isStopping: () => isStopping,
    observer: metrics,
    tracing,
  });
  const listener = await listen(app, config);
  resources.defer(() => listener.close());
  const drain = (): void => {
    isStopping = true;
    listener.drain();
  };
  const opened = resources.move();
  return {
    baseUrl: listener.origin + BASE_PATH,
    metricsUrl: metrics?.url,
    drain,
    close: async () => {
      drain();
      await opened.disposeAsync();
    },
  };
}

/** Loaded only when they are wanted. */
async function openMetrics(config: Config, resources: AsyncDisposableStack) {
  if (config.metrics === undefined) return undefined;
  const { createMetrics, listenForMetrics } = await import("./metrics.ts");
  const metrics = createMetrics(config.databaseUrl);
  const listener = await listenForMetrics(metrics, config.metrics);
  resources.defer(() => listener.close());
  return { ...metrics, url: `${listener.origin}/metrics` };
}

/** Loaded only when it is wanted. */
async function openTracing({ tracesEndpoint }: Config, resources: AsyncDisposableStack): Promise<Tracing | undefined> {
  if (tracesEndpoint === undefined) return undefined;
  const { createTracing } = await import("./tracing.ts");
  const tracing = createTracing(tracesEndpoint);
  resources.defer(() => tracing.close());
  return tracing;
}

/**
 * Runs the service until SIGTERM or SIGINT, and then exits with 0 once everything in flight is answered. Whoever sends
 * requests has `shutdownDelay` to see that `/readyz` fails; a second signal ends the delay.
 */
export async function serve(config: Config): Promise<void> {
  const logger = createLogger(config.logLevel);
  const service = await start(config, logger);
  const delay = new AbortController();
  let stopping: Promise<void> | undefined;
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    service.drain();
    await setTimeout(config.shutdownDelay * 1_000, undefined, delay).catch(() => {});
    await service.close();
    logger.info({ signal }, "stopped");
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (stopping === undefined) stopping = stop(signal);
      else delay.abort();
    });
  }
  console.log(greeting(config, service));
}

function greeting(config: Config, { baseUrl, metricsUrl }: Service): string {
  const lines = [`Petstore ${version} (${config.environment}) is listening on ${baseUrl}`];
  lines.push(`Its reference, where every operation can be tried, is at ${new URL("/docs", baseUrl).href}`);
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
