import cluster from "node:cluster";
import type { Logger } from "pino";
import { Closings } from "./closings.ts";
import { listen } from "../http/listener.ts";
import type { Metrics } from "../observability/metrics.ts";
import type { Tracing } from "../observability/tracing.ts";
import type { Service, ServiceDefinition } from "./serving.ts";
import type { ServiceConfig } from "../settings.ts";

/** How long before connections are cut those are answered that still wait for something. */
const ANSWERING_MS = 500;

/** Serves in this process. */
export async function startService(definition: ServiceDefinition, logger: Logger): Promise<Service> {
  const closings = new Closings();
  try {
    return await open(definition, logger, closings);
  } catch (error) {
    await closings.close();
    throw error;
  }
}

async function open(definition: ServiceDefinition, logger: Logger, closings: Closings): Promise<Service> {
  const { config } = definition;
  const { metrics, metricsUrl } = await openMetrics(config, logger, closings);
  const tracing = await openTracing(definition, closings);
  let isStopping = false;
  const opened = await definition.open({ logger, metrics, tracing, isStopping: () => isStopping });
  closings.add(() => opened.close());
  const listener = await listen(opened.app, config);
  closings.add(async () => {
    const connections = await listener.close(config.shutdownTimeout * 1_000);
    if (connections > 0) logger.warn({ connections }, "connections were still open after SHUTDOWN_TIMEOUT");
  });
  const drain = (): void => {
    isStopping = true;
    listener.drain();
  };
  return {
    baseUrl: listener.origin + definition.basePath,
    metricsUrl,
    drain,
    close: async () => {
      drain();
      opened.stopWaiting(Math.max(0, config.shutdownTimeout * 1_000 - ANSWERING_MS));
      await closings.close();
    },
  };
}

/** Loaded only when they are wanted. In a cluster the primary process serves those of all. */
async function openMetrics(
  config: ServiceConfig,
  logger: Logger,
  closings: Closings,
): Promise<{ metrics: Metrics | undefined; metricsUrl: string | undefined }> {
  if (config.metrics === undefined) return { metrics: undefined, metricsUrl: undefined };
  const { countProcesses, createMetrics, listenForMetrics, shareMetrics } = await import("../observability/metrics.ts");
  const metrics = createMetrics();
  if (cluster.isWorker) {
    shareMetrics(metrics);
    return { metrics, metricsUrl: undefined };
  }
  countProcesses(metrics.registry, 1, 1);
  const listener = await listenForMetrics(() => metrics.registry.metrics(), config.metrics, logger);
  closings.add(() => listener.close());
  return { metrics, metricsUrl: `${listener.origin}/metrics` };
}

/** Loaded only when it is wanted. */
async function openTracing(definition: ServiceDefinition, closings: Closings): Promise<Tracing | undefined> {
  const { tracesEndpoint } = definition.config;
  if (tracesEndpoint === undefined) return undefined;
  const { createTracing } = await import("../observability/tracing.ts");
  const tracing = createTracing(tracesEndpoint, definition);
  closings.add(() => tracing.close());
  return tracing;
}
