import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Service, RunningService } from "./serving.ts";
import type { ServiceConfig } from "../settings.ts";

/** The signals that stop the service after it has finished the requests in flight. */
export const STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** How long the primary waits for a worker beyond SHUTDOWN_TIMEOUT before it kills it, in milliseconds. */
const GRACE_MS = 2_000;

/** The interval of pings to workers, in milliseconds. A worker that has not replied by the next ping is killed. */
const PING_INTERVAL_MS = 10_000;

/** The environment variable that marks the workers of `startProcesses`. */
const WORKER_VARIABLE = "SERVICE_WORKER";

/** Whether this process is a worker of `startProcesses`. Workers of another program, such as `dev`, serve on their own. */
export const isWorker = cluster.isWorker && process.env[WORKER_VARIABLE] !== undefined;

/** The workers that accept connections. */
const listeningWorkers = new Set<Worker>();

/** A message from the primary to a worker. */
interface PrimaryCommand {
  command?: "ping" | "drain" | "close";
}

/** A message from a worker to the primary. */
interface WorkerReport {
  baseUrl?: string;
  isAlive?: true;
  isDraining?: true;
}

/** Thrown if a worker exits before it serves. The worker has printed the cause. */
class ProcessError extends Error {
  override name = "ProcessError";
}

/**
 * Serves one port from `config.processes` worker processes of the program at `path`. This process, the primary, distributes
 * connections among them in turn. A worker that exits is replaced. A worker that hangs is killed and replaced. A worker that
 * cannot start makes the service fail.
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
  let isStopping = false;

  const startProcess = async (): Promise<string> => {
    const worker = cluster.fork({ [WORKER_VARIABLE]: "1" });
    closeUnacceptedConnections(worker);
    const baseUrl = await waitUntilServing(worker);
    killWhenHanging(worker, logger, pingIntervalMs);
    worker.once("exit", (code: number, signal: string | null) => {
      if (isStopping) return;
      logger.error({ process: worker.process.pid, code, signal }, "a process ended and is replaced");
      startProcess().catch(fail);
    });
    return baseUrl;
  };

  try {
    const baseUrl = await startProcess(); // starts before the others, so that an error of all is printed once
    await Promise.all(Array.from({ length: config.processes - 1 }, startProcess));
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
    return { baseUrl, metricsUrl: metrics && `${metrics.origin}/metrics`, failed, drain, close, kill: killAll };
  } catch (error) {
    isStopping = true;
    killAll();
    await metrics?.close();
    throw error;
  }
}

/**
 * Runs the service in a worker and follows the commands of the primary. The worker ignores signals, since the primary handles
 * them. A terminal or service manager sends each signal to every process.
 */
export async function runWorker(start: () => Promise<Service>): Promise<void> {
  for (const signal of STOP_SIGNALS) process.on(signal, () => {});
  const received = { drain: Promise.withResolvers<void>(), close: Promise.withResolvers<void>() };
  process.on("message", ({ command }: PrimaryCommand) => {
    if (command === "ping") process.send!({ isAlive: true } satisfies WorkerReport);
    else if (command !== undefined) received[command].resolve();
  });
  try {
    const service = await start();
    process.send!({ baseUrl: service.baseUrl } satisfies WorkerReport);
    await received.drain.promise;
    service.drain();
    process.send!({ isDraining: true } satisfies WorkerReport);
    await received.close.promise;
    await service.close();
  } catch (error) {
    process.channel!.unref(); // an open channel would keep the process running
    throw error;
  }
  cluster.worker!.disconnect(); // gives back connections that the primary is handing over
}

/** Resolves with the base URL once the worker serves. */
async function waitUntilServing(worker: Worker): Promise<string> {
  const ended = waitForExit(worker).then((exitedWith) => {
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
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
}

async function openMetrics(config: ServiceConfig, logger: Logger) {
  if (config.metrics === undefined) return undefined;
  const { clusterMetricsReader, listenForMetrics } = await import("../observability/metrics.ts");
  return listenForMetrics(clusterMetricsReader(config.processes), config.metrics, logger);
}
