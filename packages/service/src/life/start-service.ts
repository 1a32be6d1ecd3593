import { setFlagsFromString } from "node:v8";
import type { Logger } from "pino";
import { CloseStack, type Service, type ServiceDefinition } from "./serving.ts";
import { listen } from "../http/listener.ts";
import type { Metrics } from "../observability/metrics.ts";
import type { Tracing } from "../observability/tracing.ts";
import { isWorker } from "./worker.ts";
import type { ServiceConfig } from "../settings.ts";

/** The time between the last responses to waiting requests and the end of SHUTDOWN_TIMEOUT, in milliseconds. */
const RESPONSE_MARGIN_MS = 500;

/** Starts the service in this process. */
export async function startService(definition: ServiceDefinition, logger: Logger): Promise<Service> {
  // Otherwise V8 keeps each request until a full collection, if a hundred connections that open at once are the first to be served.
  setFlagsFromString("--no-allocation-site-pretenuring");
  const closeStack = new CloseStack();
  try {
    return await open(definition, logger, closeStack);
  } catch (error) {
    await closeStack.close();
    throw error;
  }
}

async function open(definition: ServiceDefinition, logger: Logger, closeStack: CloseStack): Promise<Service> {
  const { config } = definition;
  const { metrics, metricsUrl } = await openMetrics(config, logger, closeStack);
  const tracing = await openTracing(definition, closeStack);
  let isStopping = false;
  let isRetired = false;
  const shutdown = new AbortController();
  const context = { logger, metrics, tracing, isStopping: () => isStopping, shutdown: shutdown.signal };
  const opened = await definition.open(context);
  closeStack.add(() => opened.close());
  const listener = await listen(opened.app, config, definition.errorFormat);
  closeStack.add(async () => {
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
    retire: () => {
      isRetired = true;
      listener.drain();
    },
    close: async () => {
      if (!isRetired) drain();
      shutdown.abort(new DOMException("The service is stopping.", "AbortError"));
      opened.stopWaiting(Math.max(0, config.shutdownTimeout * 1_000 - RESPONSE_MARGIN_MS));
      await closeStack.close();
    },
  };
}

/** Loads metrics only if they are configured. In a cluster the primary serves the metrics of all workers. */
async function openMetrics(
  config: ServiceConfig,
  logger: Logger,
  closeStack: CloseStack,
): Promise<{ metrics: Metrics | undefined; metricsUrl: string | undefined }> {
  if (config.metricsAddress === undefined) return { metrics: undefined, metricsUrl: undefined };
  const { countProcesses, createMetrics, listenForMetrics, shareMetrics } = await import("../observability/metrics.ts");
  const metrics = createMetrics(config.maxInFlight);
  if (isWorker) {
    shareMetrics(metrics);
    return { metrics, metricsUrl: undefined };
  }
  countProcesses(metrics.registry, { configured: 1, answered: 1, replaced: 0 });
  const listener = await listenForMetrics(() => metrics.registry.metrics(), config.metricsAddress, logger);
  closeStack.add(() => listener.close());
  return { metrics, metricsUrl: `${listener.origin}/metrics` };
}

/** Loads tracing only if it is configured. */
async function openTracing(definition: ServiceDefinition, closeStack: CloseStack): Promise<Tracing | undefined> {
  const { tracesEndpoint } = definition.config;
  if (tracesEndpoint === undefined) return undefined;
  const { createTracing } = await import("../observability/tracing.ts");
  const tracing = createTracing(tracesEndpoint, definition);
  closeStack.add(() => tracing.close());
  return tracing;
}
