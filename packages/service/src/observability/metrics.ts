import cluster, { type Worker } from "node:cluster";
import { setTimeout } from "node:timers/promises";
import { getHeapStatistics } from "node:v8";
import { SERVICE } from "@openapi-operations/command-line/name";
import express from "express";
import type { Logger } from "pino";
import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  prometheusContentType,
  Registry,
  type RegistryContentType,
} from "prom-client";
import { problem } from "../problems.ts";
import { type Address, type Listener, listen } from "../http/listener.ts";
import { allowGetHead, onError } from "../http/express-handlers.ts";
import { headFault } from "../http/messages.ts";
import type { RequestState } from "../http/stages.ts";
import type { Observer } from "../operation-options.ts";

/** Prometheus metrics of a service: the observer that updates them, and the registry that holds them. */
export interface Metrics extends Observer {
  registry: Registry;
}

/** How long a check of readiness may take while metrics are read, in milliseconds. It is shorter than `DEADLINE_MS`. */
const READINESS_MS = 500;

/** Creates the metrics of the service, and those of prom-client for the process: event-loop lag, memory, garbage collection. */
export function createMetrics(maxInFlight: number): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: "http_requests_total",
    help: "Requests by operation of the contract and status.",
    labelNames: ["operation_id", "status"],
    registers,
  });
  const durations = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time from the arrival of a request's headers to the end of its response.",
    labelNames: ["operation_id"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const inFlight = new Gauge({
    name: "http_requests_in_flight",
    help: "Requests without a complete response.",
    registers,
  });
  const inFlightLimit = new Gauge({
    name: "http_requests_in_flight_limit",
    help: "MAX_IN_FLIGHT, added up over the processes.",
    registers,
  });
  inFlightLimit.set(maxInFlight);
  const heapLimit = new Gauge({
    name: "nodejs_heap_size_limit_bytes",
    help: "Size of the heap at which a process runs out of memory, added up over the processes.",
    registers,
  });
  heapLimit.set(getHeapStatistics().heap_size_limit);
  const violations = new Counter({
    name: `${SERVICE.metricsPrefix}_contract_violations_total`,
    help: "Responses that break the contract.",
    labelNames: ["operation_id"],
    registers,
  });

  const observeRequest: Metrics["observeRequest"] = (request, response) => {
    inFlight.inc();
    const elapsed = durations.startTimer();
    response.once("close", () => {
      const { operationId } = response.locals as RequestState;
      const operation_id = operationId ?? (PROBE.test(request.originalUrl) ? "probe" : "none");
      inFlight.dec();
      elapsed({ operation_id });
      requests.inc({ operation_id, status: response.headersSent ? response.statusCode : "aborted" });
    });
  };
  return {
    registry,
    observeRequest,
    onViolation: ({ operationId }) => violations.inc({ operation_id: operationId }),
    observeReadiness: (isReady) => registry.registerMetric(readinessGauge(isReady)),
  };
}

/** Matches health checks, which count apart, so that they do not dilute the share of errors. */
const PROBE = /^\/(?:healthz|readyz)(?:\?|$)/;

function readinessGauge(isReady: () => Promise<boolean>): Gauge {
  return new Gauge({
    name: `${SERVICE.metricsPrefix}_ready`,
    help: "1 if /readyz is 200 in every process, otherwise 0. A check that takes more than half a second is 0.",
    registers: [],
    aggregator: "min",
    async collect() {
      this.set(Number(await Promise.race([isReady(), setTimeout(READINESS_MS, false, { ref: false })])));
    },
  });
}

/** Serves `GET /metrics` on an address of its own, so that it can be closed to clients of the service. */
export function listenForMetrics(read: () => Promise<string>, address: Address, logger: Logger): Promise<Listener> {
  const app = express()
    .disable("x-powered-by")
    .use((request, _response, next) => next(headFault(request)));
  app.all("/metrics", allowGetHead, async (_request, response) => {
    const text = await read();
    response.writeHead(200, { "Content-Type": prometheusContentType, "Cache-Control": "no-store" }).end(text);
  });
  app.use(() => {
    throw problem("not_found");
  });
  app.use(onError(logger));
  return listen(app, { ...address, settings: "METRICS_HOST and METRICS_PORT" });
}

/** How long the primary waits for the metrics of a worker, in milliseconds. */
const DEADLINE_MS = 1_000;

/** The primary's request for the metrics of a worker. */
interface MetricsRequest {
  request?: "metrics";
}

/** The worker's reply: the result of `Registry.getMetricsAsJSON`. */
interface MetricsResponse {
  metrics?: object[];
}

/** Sends the metrics of this worker to the primary at each request of the primary. */
export function shareMetrics({ registry }: Metrics): void {
  process.on("message", ({ request }: MetricsRequest) => {
    if (request !== "metrics") return;
    const reply = (metrics: object[]): unknown => process.send?.({ metrics } satisfies MetricsResponse, () => {});
    registry.getMetricsAsJSON().then(reply, () => {}); // without a reply the primary leaves this worker out
  });
}

/**
 * Returns a function for the primary that reads the metrics of all workers and aggregates them. A worker that does not reply
 * within a second is left out: it hangs or is starting. `…_processes_answered` counts the replies, and
 * `…_processes_replaced_total` the workers that ended by themselves or were killed.
 */
export function clusterMetricsReader(processes: number): () => Promise<string> {
  let pending: Promise<string> | undefined;
  let replaced = 0;
  cluster.on("exit", ({ exitedAfterDisconnect }) => {
    if (!exitedAfterDisconnect) replaced++;
  });
  const readOnce = async (): Promise<string> => {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected() === true);
    const replies = await Promise.all(workers.map((worker) => metricsOf(worker!)));
    const metrics = replies.filter((reply) => reply !== undefined);
    const registry = metrics.length === 0 ? new Registry() : AggregatorRegistry.aggregate(metrics);
    countProcesses(registry, { configured: processes, answered: metrics.length, replaced });
    // Aggregation leaves this metric out, because its sum means nothing.
    const help = "Start time of the first process, in seconds since 1970.";
    const started = new Gauge({ name: "process_start_time_seconds", help, registers: [registry] });
    started.set(Math.round(performance.timeOrigin / 1_000));
    return registry.metrics();
  };
  return () => (pending ??= readOnce().finally(() => (pending = undefined))); // concurrent calls share one reading
}

async function metricsOf(worker: Worker): Promise<object[] | undefined> {
  const { promise: reply, resolve } = Promise.withResolvers<object[]>();
  const onMessage = ({ metrics }: MetricsResponse): void => {
    if (metrics !== undefined) resolve(metrics);
  };
  worker.on("message", onMessage);
  worker.send({ request: "metrics" } satisfies MetricsRequest, () => {}); // the worker may have exited
  try {
    return await Promise.race([reply, setTimeout(DEADLINE_MS, undefined, { ref: false })]);
  } finally {
    worker.off("message", onMessage);
  }
}

/** Adds the numbers of processes: configured, included in the metrics, and replaced since the start. */
export function countProcesses(
  registry: Registry<RegistryContentType>,
  { configured, answered, replaced }: Record<"configured" | "answered" | "replaced", number>,
): void {
  const registers = [registry];
  new Gauge({ name: `${SERVICE.metricsPrefix}_processes`, help: "Processes configured to serve.", registers }).set(
    configured,
  );
  const help = "Processes whose metrics this response includes.";
  new Gauge({ name: `${SERVICE.metricsPrefix}_processes_answered`, help, registers }).set(answered);
  new Counter({
    name: `${SERVICE.metricsPrefix}_processes_replaced_total`,
    help: "Processes that crashed or were killed, and were replaced.",
    registers,
  }).inc(replaced);
}
