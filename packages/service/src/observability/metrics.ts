import cluster, { type Worker } from "node:cluster";
import { setTimeout } from "node:timers/promises";
import express, { type RequestHandler } from "express";
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
import { onError } from "../http/on-error.ts";
import { allowGetHead } from "../http/allow-get-head.ts";
import { stateOf } from "../http/request-state.ts";
import type { Observer } from "./observer.ts";

/** Prometheus metrics of a service: what fills them, and the text they are read as. */
export interface Metrics extends Observer {
  registry: Registry;
}

/** The metrics of the service and, with prom-client's own, of the process: event-loop lag, memory, garbage collection. */
export function createMetrics(): Metrics {
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
    help: "From the arrival of a request's headers to the end of its answer.",
    labelNames: ["operation_id"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const inFlight = new Gauge({ name: "http_requests_in_flight", help: "Requests not answered yet.", registers });
  const violations = new Counter({
    name: "petstore_contract_violations_total",
    help: "Answers found to break the contract.",
    labelNames: ["operation_id"],
    registers,
  });

  const observeRequest: RequestHandler = (_request, response, next) => {
    inFlight.inc();
    const elapsed = durations.startTimer();
    response.once("close", () => {
      const operation_id = stateOf(response).operationId ?? "none";
      inFlight.dec();
      elapsed({ operation_id });
      requests.inc({ operation_id, status: response.headersSent ? response.statusCode : "aborted" });
    });
    next();
  };
  return {
    registry,
    observeRequest,
    onViolation: ({ operationId }) => violations.inc({ operation_id: operationId }),
  };
}

/** Serves `GET /metrics` on an address of its own, which need not be reachable for those who use the service. */
export function listenForMetrics(read: () => Promise<string>, address: Address, logger: Logger): Promise<Listener> {
  const app = express().disable("x-powered-by").disable("etag");
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

/** How long the primary process waits for the metrics of the others, in milliseconds. */
const DEADLINE_MS = 1_000;

/** What the primary process of a cluster asks of the others, and what they answer: `Registry.getMetricsAsJSON`. */
interface Question {
  question?: "metrics";
}
interface Answer {
  metrics?: object[];
}

/** Lets the primary process of a cluster read the metrics of this one. */
export function shareMetrics({ registry }: Metrics): void {
  process.on("message", ({ question }: Question) => {
    if (question !== "metrics") return;
    const answer = (metrics: object[]): unknown => process.send?.({ metrics } satisfies Answer, () => {});
    registry.getMetricsAsJSON().then(answer, () => {}); // what cannot be read is no answer
  });
}

/**
 * Reads the metrics of every process of the cluster that this one is the primary of, added up where that makes sense. One that
 * does not answer in a second, since it hangs or has just been started, is left out, and counted as such.
 */
export function clusterMetricsReader(processes: number): () => Promise<string> {
  let reading: Promise<string> | undefined;
  const read = async (): Promise<string> => {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected() === true);
    const answers = await Promise.all(workers.map((worker) => metricsOf(worker!)));
    const answered = answers.filter((metrics) => metrics !== undefined);
    const registry = answered.length === 0 ? new Registry() : AggregatorRegistry.aggregate(answered);
    countProcesses(registry, processes, answered.length);
    return registry.metrics();
  };
  return () => (reading ??= read().finally(() => (reading = undefined))); // however many ask, each process is asked once at a time
}

async function metricsOf(worker: Worker): Promise<object[] | undefined> {
  const { promise: answered, resolve } = Promise.withResolvers<object[]>();
  const hear = ({ metrics }: Answer): void => {
    if (metrics !== undefined) resolve(metrics);
  };
  const late = new AbortController();
  worker.on("message", hear);
  worker.send({ question: "metrics" } satisfies Question, () => {}); // it may end meanwhile
  try {
    return await Promise.race([answered, setTimeout(DEADLINE_MS, undefined, { signal: late.signal })]);
  } finally {
    worker.off("message", hear);
    late.abort();
  }
}

/** Adds two gauges that show when a process is missing in what is added up. */
export function countProcesses(registry: Registry<RegistryContentType>, processes: number, answered: number): void {
  const registers = [registry];
  new Gauge({ name: "petstore_processes", help: "Processes that are to serve.", registers }).set(processes);
  const help = "Those of them whose metrics are in this answer.";
  new Gauge({ name: "petstore_processes_answered", help, registers }).set(answered);
}
