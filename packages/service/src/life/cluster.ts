import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { RunningService } from "./serving.ts";
import {
  type PrimaryCommand,
  RELOAD_SIGNAL,
  STOP_SIGNALS,
  WORKER_VARIABLE,
  type WorkerDuty,
  type WorkerReport,
} from "./worker.ts";
import type { ServiceConfig } from "../settings.ts";

/** How long the primary waits for a worker beyond SHUTDOWN_TIMEOUT before it kills it, in milliseconds. */
const GRACE_MS = 2_000;

/** The interval of pings to workers, in milliseconds. A worker that has not replied by the next ping is killed. */
const PING_INTERVAL_MS = 10_000;

/** The workers that accept connections. */
const listeningWorkers = new Set<Worker>();

/** Thrown if a worker exits before it serves. The worker has printed the cause. */
class ProcessError extends Error {
  override name = "ProcessError";
}

/**
 * Serves one port from `config.processes` worker processes of the program at `path`. This process, the primary, distributes
 * connections among them in turn. Resolves once the first one serves; `startOthers` starts the others. A worker that exits is replaced. A worker that hangs is
 * killed and replaced. A worker that cannot start makes the service fail. A reload replaces the workers by ones of the program
 * that is then at `path`.
 */
export async function startProcesses(
  { path, config }: { path: string; config: ServiceConfig },
  logger: Logger,
  pingIntervalMs = PING_INTERVAL_MS,
): Promise<RunningService> {
  cluster.setupPrimary({ exec: path, args: ["serve"], execArgv: [...process.execArgv, "--disable-sigusr1"] });
  const metrics = await openMetrics(config, logger);
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  failed.catch(() => {}); // prevents an unhandled rejection when nothing awaits `failed` any more
  const retired = new WeakSet<Worker>();
  let isStopping = false;

  const startProcess = async (duty: WorkerDuty = "serve"): Promise<string> => {
    const worker = cluster.fork({ [WORKER_VARIABLE]: duty });
    closeUnacceptedConnections(worker);
    const baseUrl = await waitUntilServing(worker);
    if (baseUrl === undefined) return isStopping ? failed : startProcess(duty);
    killWhenHanging(worker, logger, pingIntervalMs);
    worker.once("exit", (code: number, signal: string | null) => {
      if (isStopping || retired.has(worker)) return;
      logger.error({ process: worker.process.pid, code, signal }, "a process ended and is replaced");
      startProcess().catch(fail);
    });
    return baseUrl;
  };

  try {
    const baseUrl = await startProcess(); // starts before the others, so that an error of all is printed once
    const startOthers = async (): Promise<void> => {
      await Promise.all(Array.from({ length: config.processes - 1 }, () => startProcess()));
    };
    const reload = async (): Promise<void> => {
      let duty: WorkerDuty = "prepare"; // the first new worker prepares, because it may be of another version than this process
      for (const worker of processes()) {
        if (isStopping) return;
        if (worker.isDead()) continue; // it has been replaced
        await startProcess(duty);
        if (isStopping) return;
        duty = "serve";
        retired.add(worker);
        await retire(worker, config);
      }
      logger.info({ replaced: config.processes }, "reloaded");
    };
    const drain = async (): Promise<void> => {
      isStopping = true;
      const drained = commandAll("drain", (worker) => waitForReport(worker, ({ isDraining }) => isDraining));
      await Promise.race([drained, sleep(GRACE_MS, undefined, { ref: false })]);
    };
    const close = async (): Promise<void> => {
      const timer = setTimeout(
        () => {
          const pids = processes().map((worker) => worker.process.pid);
          logger.error({ processes: pids }, "processes did not end after SHUTDOWN_TIMEOUT and are killed");
          killAll();
        },
        config.shutdownTimeout * 1_000 + GRACE_MS,
      );
      await commandAll("close", waitForExit);
      clearTimeout(timer);
      await metrics?.close();
    };
    return {
      baseUrl,
      metricsUrl: metrics && `${metrics.origin}/metrics`,
      startOthers,
      failed,
      reload,
      drain,
      close,
      kill: killAll,
    };
  } catch (error) {
    isStopping = true;
    killAll();
    await metrics?.close();
    throw error;
  }
}

/**
 * Resolves with the base URL once the worker serves, or with undefined if one of the service's signals has ended it. A terminal or
 * service manager sends each signal to every process, and a new worker does not ignore signals yet.
 */
async function waitUntilServing(worker: Worker): Promise<string | undefined> {
  const ended = waitForExit(worker).then((exitedWith) => {
    if (([...STOP_SIGNALS, RELOAD_SIGNAL] as (string | number)[]).includes(exitedWith)) return undefined;
    throw new ProcessError(`A worker process did not start. It ended with ${exitedWith}; see its error above.`);
  });
  return Promise.race([waitForReport(worker, ({ baseUrl }) => baseUrl), ended]);
}

/**
 * Closes connections that no worker accepts. Node's primary keeps the handle of a connection until a worker accepts it; otherwise
 * the handle stays open, and the client waits as long as the primary runs. There are two such cases. A worker dies while the
 * primary hands it the connection. Or the worker rejects it because it no longer listens, and no other worker listens. This
 * relies on the messages of Node's lib/internal/cluster/round_robin_handle.js and child.js.
 */
function closeUnacceptedConnections(worker: Worker): void {
  // `any` covers the overloads of `send`: Node passes a handle, and this module a callback.
  const send: (...args: any) => any = worker.process.send.bind(worker.process);
  let handedOver: { close: () => void } | undefined;
  worker.process.send = function (...args: any): any {
    if (args[0]?.act === "newconn") handedOver = args[1];
    return send(...args);
  };
  worker.on("listening", () => listeningWorkers.add(worker));
  worker.process.on("internalMessage", ({ act, accepted }: { act?: string; accepted?: boolean }) => {
    if (act === "close") listeningWorkers.delete(worker);
    if (accepted === false && listeningWorkers.size === 0) handedOver?.close();
  });
  worker.process.once("exit", () => {
    listeningWorkers.delete(worker);
    // The handle of an accepted connection is closed already, and closing it again does nothing.
    if (!worker.exitedAfterDisconnect) handedOver?.close();
  });
}

/** Kills a worker that misses a ping. Its event loop is blocked, so it cannot serve clients either. */
function killWhenHanging(worker: Worker, logger: Logger, askEveryMs: number): void {
  let hasReplied = true;
  worker.on("message", ({ isAlive }: WorkerReport) => (hasReplied ||= isAlive === true));
  const pings = setInterval(() => {
    if (!hasReplied) {
      logger.error({ process: worker.process.pid }, "a process hangs and is killed");
      worker.process.kill("SIGKILL");
    }
    hasReplied = false;
    worker.send({ command: "ping" } satisfies PrimaryCommand, () => {}); // the worker may have exited
  }, askEveryMs);
  pings.unref();
  worker.once("exit", () => clearInterval(pings));
}

/** Ends a worker whose successor serves. Clients of its connections get a response with `Connection: close` before it closes. */
async function retire(worker: Worker, { shutdownDelay, shutdownTimeout }: ServiceConfig): Promise<void> {
  const exited = waitForExit(worker);
  const draining = waitForReport(worker, ({ isDraining }) => isDraining);
  worker.send({ command: "retire" } satisfies PrimaryCommand, () => {}); // the worker may have exited
  await Promise.race([draining, exited, sleep(GRACE_MS, undefined, { ref: false })]);
  await Promise.race([exited, sleep(shutdownDelay * 1_000, undefined, { ref: false })]);
  worker.send({ command: "close" } satisfies PrimaryCommand, () => {});
  const timer = setTimeout(() => worker.process.kill("SIGKILL"), shutdownTimeout * 1_000 + GRACE_MS);
  await exited;
  clearTimeout(timer);
}

/** Sends a command to all workers, and waits until each has done it or has exited. */
async function commandAll(
  command: "drain" | "close",
  waitUntilDone: (worker: Worker) => Promise<unknown>,
): Promise<void> {
  const done = processes().map((worker) => Promise.race([waitUntilDone(worker), waitForExit(worker)]));
  for (const worker of processes()) worker.send({ command } satisfies PrimaryCommand, () => {}); // a worker may have exited
  await Promise.all(done);
}

function waitForReport<Value>(worker: Worker, read: (report: WorkerReport) => Value | undefined): Promise<Value> {
  return new Promise((resolve) => {
    worker.on("message", (report: WorkerReport) => {
      const value = read(report);
      if (value !== undefined) resolve(value);
    });
  });
}

/** Resolves with the signal or the exit code of the worker. */
async function waitForExit(worker: Worker): Promise<string | number> {
  const [code, signal] = (await once(worker, "exit")) as [number, string | null];
  return signal ?? code;
}

function killAll(): void {
  for (const worker of processes()) worker.process.kill("SIGKILL");
}

function processes(): Worker[] {
  return Object.values(cluster.workers ?? {})
    .filter((worker) => worker !== undefined)
    .filter((worker) => !worker.isDead());
}

async function openMetrics(config: ServiceConfig, logger: Logger) {
  if (config.metricsAddress === undefined) return undefined;
  const { clusterMetricsReader, listenForMetrics } = await import("../observability/metrics.ts");
  return listenForMetrics(clusterMetricsReader(config.processes), config.metricsAddress, logger);
}
