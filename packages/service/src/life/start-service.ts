import { setFlagsFromString } from "node:v8";
import type { Logger } from "pino";
import type { ProcessContext, Service, ServiceDefinition } from "./serving.ts";
import { listen } from "../http/listener.ts";
import { isWorker } from "./worker.ts";
import type { ServiceConfig } from "../settings.ts";

/** The time between the last responses to waiting requests and the end of SHUTDOWN_TIMEOUT, in milliseconds. */
const RESPONSE_MARGIN_MS = 500;

type OnClose = ProcessContext["onClose"];

/** Starts the service in this process. */
export async function startService(definition: ServiceDefinition, logger: Logger): Promise<Service> {
  // Otherwise V8 keeps each request until a full collection, if a hundred connections that open at once are the first to be served.
  setFlagsFromString("--no-allocation-site-pretenuring");
  const closing: (() => Promise<unknown>)[] = [];
  try {
    return await open(definition, logger, closing);
  } catch (error) {
    await closeAll(closing);
    throw error;
  }
}

/**
 * Closes resources, the last first, even if closing one of them fails. Throws the last such error after that. It stands in for
 * AsyncDisposableStack, which Node has from version 24 on.
 */
async function closeAll(closing: (() => Promise<unknown>)[]): Promise<void> {
  try {
    await closing.pop()?.();
  } finally {
    if (closing.length > 0) await closeAll(closing);
  }
}

async function open(
  definition: ServiceDefinition,
  logger: Logger,
  closing: (() => Promise<unknown>)[],
): Promise<Service> {
  const { config } = definition;
  const onClose: OnClose = (close) => void closing.push(close);
  const { metrics, metricsUrl } = await openMetrics(config, logger, onClose);
  const tracing = await openTracing(definition, onClose);
  let isStopping = false;
  let isRetired = false;
  const shutdown = new AbortController();
  const context = { logger, metrics, tracing, isStopping: () => isStopping, shutdown: shutdown.signal, onClose };
  const opened = await definition.open(context);
  const listener = await listen(opened.app, config, definition.errorFormat);
  onClose(async () => {
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
      await closeAll(closing);
    },
  };
}

/** Loads metrics only if they are configured. In a cluster the primary serves the metrics of all workers. */
async function openMetrics(config: ServiceConfig, logger: Logger, onClose: OnClose) {
  if (config.metricsAddress === undefined) return {};
  const { countProcesses, createMetrics, listenForMetrics, shareMetrics } = await import("../observability/metrics.ts");
  const metrics = createMetrics(config.maxInFlight);
  if (isWorker) {
    shareMetrics(metrics);
    return { metrics };
  }
  countProcesses(metrics.registry, { configured: 1, answered: 1, replaced: 0 });
  const listener = await listenForMetrics(() => metrics.registry.metrics(), config.metricsAddress, logger);
  onClose(() => listener.close());
  return { metrics, metricsUrl: `${listener.origin}/metrics` };
}

/** Loads tracing only if it is configured. */
async function openTracing(definition: ServiceDefinition, onClose: OnClose) {
  const { tracesEndpoint } = definition.config;
  if (tracesEndpoint === undefined) return undefined;
  const { createTracing } = await import("../observability/tracing.ts");
  const tracing = createTracing(tracesEndpoint, definition);
  onClose(() => tracing.close());
  return tracing;
}
