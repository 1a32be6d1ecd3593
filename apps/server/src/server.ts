import cluster from "node:cluster";
import { version } from "@petstore/contract";
import type { Logger } from "pino";
import { BASE_PATH, createApp } from "./app.ts";
import type { Config } from "./config.ts";
import { listen } from "./http/listener.ts";
import { keyUses } from "./keys/key-uses.ts";
import { openStorage } from "./database/open-storage.ts";
import type { Tracing } from "./observability/tracing.ts";
import type { Service } from "./serving.ts";

/** How long before connections are cut those are answered whose writes wait for somebody else's lock. */
const ANSWERING_MS = 500;

/** Serves a database that is prepared. */
export async function start(config: Config, logger: Logger): Promise<Service> {
  const resources = new Resources();
  try {
    return await open(config, logger, resources);
  } catch (error) {
    await resources.close();
    throw error;
  }
}

async function open(config: Config, logger: Logger, resources: Resources): Promise<Service> {
  const metrics = await openMetrics(config, logger, resources);
  const tracing = await openTracing(config, resources);
  const storage = openStorage(config.databaseUrl, metrics?.onCommit);
  resources.add(() => storage.destroy());
  await storage.open().catch(() => {}); // each request tries again, and says what is wrong
  const uses = keyUses(storage.write, logger);
  resources.add(() => uses.close());
  let isStopping = false;
  const app = await createApp({
    storage,
    keyUses: uses,
    logger,
    environment: config.environment,
    maxInFlight: config.maxInFlight,
    trustProxy: config.trustProxy,
    rateLimits: config.rateLimits,
    strictTransportSecurity: config.strictTransportSecurity,
    isStopping: () => isStopping,
    observer: metrics,
    tracing,
  });
  const listener = await listen(app, config);
  resources.add(async () => {
    const connections = await listener.close(config.shutdownTimeout * 1_000);
    if (connections > 0) logger.warn({ connections }, "connections were still open after SHUTDOWN_TIMEOUT");
  });
  const drain = (): void => {
    isStopping = true;
    listener.drain();
  };
  return {
    baseUrl: listener.origin + BASE_PATH,
    metricsUrl: metrics?.url,
    drain,
    close: async () => {
      drain();
      storage.stopWaiting(Math.max(0, config.shutdownTimeout * 1_000 - ANSWERING_MS));
      await resources.close();
    },
  };
}

/** Loaded only when they are wanted. In a cluster the primary process serves those of all. */
async function openMetrics(config: Config, logger: Logger, resources: Resources) {
  if (config.metrics === undefined) return undefined;
  const { countProcesses, createMetrics, listenForMetrics, shareMetrics } = await import("./observability/metrics.ts");
  const metrics = createMetrics(config.databaseUrl);
  if (cluster.isWorker) {
    shareMetrics(metrics);
    return { ...metrics, url: undefined };
  }
  countProcesses(metrics.registry, 1, 1);
  const listener = await listenForMetrics(() => metrics.registry.metrics(), config.metrics, logger);
  resources.add(() => listener.close());
  return { ...metrics, url: `${listener.origin}/metrics` };
}

/** Loaded only when it is wanted. */
async function openTracing({ tracesEndpoint }: Config, resources: Resources): Promise<Tracing | undefined> {
  if (tracesEndpoint === undefined) return undefined;
  const { createTracing } = await import("./observability/tracing.ts");
  const tracing = createTracing(tracesEndpoint, { name: "petstore", version });
  resources.add(() => tracing.close());
  return tracing;
}

/** What is open, closed last first. Node has AsyncDisposableStack from 24 on only. */
class Resources {
  readonly #closings: (() => Promise<unknown>)[] = [];

  add(close: () => Promise<unknown>): void {
    this.#closings.push(close);
  }

  /** Closes all, also when one of them fails, which then throws. */
  async close(): Promise<void> {
    const close = this.#closings.pop();
    if (close === undefined) return;
    try {
      await close();
    } finally {
      await this.close();
    }
  }
}
