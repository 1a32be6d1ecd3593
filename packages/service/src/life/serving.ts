import type { AppOrListener } from "../http/node-http.ts";
import type { Logger } from "pino";
import type { Metrics } from "../observability/metrics.ts";
import type { Tracing } from "../observability/tracing.ts";
import type { ErrorFormat } from "../problems.ts";
import type { ServiceConfig } from "../settings.ts";

/** A service: its name and settings, and the app that each of its processes opens. */
export interface ServiceDefinition {
  name: string;
  version: string;
  config: ServiceConfig;
  /** The path of its API, such as `/v1`. */
  basePath: string;
  /** How errors are written that no app sees, such as those of the parser. Default: `ErrorBody`. */
  errorFormat?: ErrorFormat;
  /** Opens the app and its resources in one process. */
  open: (context: ProcessContext) => Promise<OpenedService>;
}

/** The parts of a process that exist before its app. */
export interface ProcessContext {
  logger: Logger;
  metrics: Metrics | undefined;
  tracing: Tracing | undefined;
  /** Whether the service is stopping. A stopping service should get no more requests. */
  isStopping: () => boolean;
  /** Aborts when the service stops accepting connections. Event streams then end, for the option `streams` of `implement`. */
  shutdown: AbortSignal;
  /** Adds a function that closes a resource. It is called after the requests in flight are finished, the last added first. */
  onClose: (close: () => Promise<unknown>) => void;
}

/** The app of a process, with its resources. */
export interface OpenedService {
  app: AppOrListener;
  /** Rejects requests that still wait for a lock after `afterMs`. Each gets a response before its connection is destroyed. */
  stopWaiting: (afterMs: number) => void;
}

/** A running service in one process. */
export interface Service {
  baseUrl: string;
  /** The URL of its Prometheus metrics; undefined without metrics. */
  metricsUrl: string | undefined;
  /** Announces the stop: `/readyz` fails, and each response closes its connection. New connections are still accepted. */
  drain: () => void;
  /** Like `drain`, but `/readyz` succeeds until the end, because another process serves instead. */
  retire: () => void;
  /** Stops accepting connections, finishes the requests in flight, and closes the resources. */
  close: () => Promise<void>;
}

/** A running service, in this process or in workers. */
export interface RunningService extends Omit<Service, "drain" | "retire"> {
  /** Like `Service.drain`. Resolves once every worker has announced its stop. */
  drain: () => Promise<void> | void;
  /**
   * Replaces the workers one by one. Each new one serves before its predecessor stops. Rejects if a new one does not start; the
   * workers that are not replaced yet go on. Undefined for a service in this process.
   */
  reload?: () => Promise<void>;
  /** Starts the workers after the first, and resolves once they serve. Undefined for a service in this process. */
  startOthers?: () => Promise<void>;
  /** Rejects if the service cannot continue. */
  failed?: Promise<never>;
  /** Kills all workers at once. */
  kill?: () => void;
}
