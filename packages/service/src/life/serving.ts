import type { Express } from "express";
import type { Logger } from "pino";
import type { Metrics } from "../observability/metrics.ts";
import type { Tracing } from "../observability/tracing.ts";
import type { ServiceConfig } from "../settings.ts";

/** A service: what it is called, and what each of its processes opens and serves. */
export interface ServiceDefinition {
  name: string;
  version: string;
  config: ServiceConfig;
  /** The path that every address of its API ends in, such as `/v1`. */
  basePath: string;
  open: (surroundings: ProcessContext) => Promise<OpenedService>;
}

/** What is there when a process opens what it serves. */
export interface ProcessContext {
  logger: Logger;
  metrics: Metrics | undefined;
  tracing: Tracing | undefined;
  /** Whether the service is about to end, so that it should be sent nothing more. */
  isStopping: () => boolean;
}

/** What a process serves. */
export interface OpenedService {
  app: Express;
  /** Has what still waits for something answered after so many milliseconds, since the connections are cut soon after. */
  stopWaiting: (afterMs: number) => void;
  /** Called once everything in flight is answered. */
  close: () => Promise<void>;
}

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

/** The service at work, in this process or in several. */
export interface RunningService extends Omit<Service, "drain"> {
  /** As of a `Service`; resolves when it holds in every process. */
  drain: () => Promise<void> | void;
  /** Rejects when it cannot go on. */
  failed?: Promise<never>;
  /** Ends the other processes at once. */
  kill?: () => void;
}
