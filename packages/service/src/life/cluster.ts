import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Service, RunningService } from "./serving.ts";
import type { ServiceConfig } from "../settings.ts";

/** The signals that end the service once everything in flight is answered. */
export const STOPPING = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** How long the primary waits, beyond what it told the others to take, for one that hangs, in milliseconds. */
const GRACE_MS = 2_000;

/** How often the primary asks the others for a sign of life, in milliseconds; one that owes it when asked again hangs. */
const ASK_EVERY_MS = 10_000;

/** The processes that are handed connections. */
const listening = new Set<Worker>();

/** What the primary process tells the others. */
interface Order {
  order?: "answer" | "drain" | "close";
}

/** What they tell it. */
interface Report {
  baseUrl?: string;
  isAlive?: true;
  isDraining?: true;
}

/** A process that was to serve ended before it did; what it printed says why. */
class ProcessError extends Error {
  override name = "ProcessError";
}

/**
 * Serves one port from `config.processes` processes of the program at `path`, to which this one, the primary, hands the connections in turn. One
 * that ends is replaced, one that hangs is killed first; one that cannot start ends the service.
 */
export async function startProcesses(
  { path, config }: { path: string; config: ServiceConfig },
  logger: Logger,
  askEveryMs = ASK_EVERY_MS,
): Promise<RunningService> {
  cluster.setupPrimary({ exec: path, args: ["serve"], execArgv: [...process.execArgv, "--disable-sigusr1"] });
  const metrics = await openMetrics(config, logger);
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  failed.catch(() => {}); // it may fail when nobody asks any more
  let isStopping = false;

  const startProcess = async (): Promise<string> => {
    const worker = cluster.fork();
    closeUntakenConnections(worker);
    const baseUrl = await untilServing(worker);
    killWhenHanging(worker, logger, askEveryMs);
    worker.once("exit", (code: number, signal: string | null) => {
      if (isStopping) return;
      logger.error({ process: worker.process.pid, code, signal }, "a process ended and is replaced");
      startProcess().catch(fail);
    });
    return baseUrl;
  };

  try {
    const baseUrl = await startProcess(); // alone, so that what keeps all from starting is said once
    await Promise.all(Array.from({ length: config.processes - 1 }, startProcess));
    const drain = async (): Promise<void> => {
      isStopping = true;
      const drained = tellAll("drain", (worker) => untilReported(worker, ({ isDraining }) => isDraining));
      await Promise.race([drained, sleep(GRACE_MS, undefined, { ref: false })]);
    };
    const close = async (): Promise<void> => {
      const late = setTimeout(
        () => {
          const pids = processes().map((worker) => worker.process.pid);
          logger.error({ processes: pids }, "processes did not end after SHUTDOWN_TIMEOUT and are killed");
          kill();
        },
        config.shutdownTimeout * 1_000 + GRACE_MS,
      );
      await tellAll("close", untilEnded);
      clearTimeout(late);
      await metrics?.close();
    };
    return { baseUrl, metricsUrl: metrics && `${metrics.origin}/metrics`, failed, drain, close, kill };
  } catch (error) {
    isStopping = true;
    kill();
    await metrics?.close();
    throw error;
  }
}

/**
 * Serves in one of the processes as the primary says. Signals, which reach every process of a terminal or a service, are
 * left to the primary.
 */
export async function obeyPrimary(start: () => Promise<Service>): Promise<void> {
  for (const signal of STOPPING) process.on(signal, () => {});
  const ordered = { drain: Promise.withResolvers<void>(), close: Promise.withResolvers<void>() };
  process.on("message", ({ order }: Order) => {
    if (order === "answer") process.send!({ isAlive: true } satisfies Report);
    else if (order !== undefined) ordered[order].resolve();
  });
  try {
    const service = await start();
    process.send!({ baseUrl: service.baseUrl } satisfies Report);
    await ordered.drain.promise;
    service.drain();
    process.send!({ isDraining: true } satisfies Report);
    await ordered.close.promise;
    await service.close();
  } catch (error) {
    process.channel!.unref(); // else it would stay to hear more
    throw error;
  }
  cluster.worker!.disconnect(); // hands back the connections that it is being given
}

/** Gives the address that the process serves, once it says so. */
async function untilServing(worker: Worker): Promise<string> {
  const ended = untilEnded(worker).then((how) => {
    throw new ProcessError(`A process that was to serve did not start: it ended with ${how}.`);
  });
  return Promise.race([untilReported(worker, ({ baseUrl }) => baseUrl), ended]);
}

/**
 * Node's primary process keeps its handle of a connection until a process has taken it. If none will, the handle stays
 * open and the client would wait for as long as the primary runs, so it is closed here: when the process that it was
 * handed to dies, and when that one refuses it, since it has stopped listening, and so have all others. Relies on the
 * messages of Node's lib/internal/cluster/round_robin_handle.js and child.js.
 */
function closeUntakenConnections(worker: Worker): void {
  // `any` stands for the overloads of `send`: Node calls the one with a handle, and we the one with a callback.
  const send: (...words: any) => any = worker.process.send.bind(worker.process);
  let lent: { close: () => void } | undefined;
  worker.process.send = function (...words: any): any {
    if (words[0]?.act === "newconn") lent = words[1];
    return send(...words);
  };
  worker.on("listening", () => listening.add(worker));
  worker.process.on("internalMessage", ({ act, accepted }: { act?: string; accepted?: boolean }) => {
    if (act === "close") listening.delete(worker);
    if (accepted === false && listening.size === 0) lent?.close();
  });
  worker.process.once("exit", () => {
    listening.delete(worker);
    if (!worker.exitedAfterDisconnect) lent?.close(); // for the second time if it had been taken, which does nothing
  });
}

/** One whose event loop stands still answers nothing, neither us nor the clients it is handed. */
function killWhenHanging(worker: Worker, logger: Logger, askEveryMs: number): void {
  let hasAnswered = true;
  worker.on("message", ({ isAlive }: Report) => (hasAnswered ||= isAlive === true));
  const asking = setInterval(() => {
    if (!hasAnswered) {
      logger.error({ process: worker.process.pid }, "a process hangs and is killed");
      worker.process.kill("SIGKILL");
    }
    hasAnswered = false;
    worker.send({ order: "answer" } satisfies Order, () => {}); // it may end meanwhile
  }, askEveryMs);
  asking.unref();
  worker.once("exit", () => clearInterval(asking));
}

/** Tells all processes, and waits for each to do it, or to end. */
async function tellAll(what: "drain" | "close", until: (worker: Worker) => Promise<unknown>): Promise<void> {
  const done = processes().map((worker) => Promise.race([until(worker), untilEnded(worker)]));
  for (const worker of processes()) worker.send({ order: what } satisfies Order, () => {}); // one may end meanwhile
  await Promise.all(done);
}

function untilReported<Fact>(worker: Worker, fact: (report: Report) => Fact | undefined): Promise<Fact> {
  return new Promise((resolve) => {
    worker.on("message", (report: Report) => {
      const found = fact(report);
      if (found !== undefined) resolve(found);
    });
  });
}

/** Gives the signal or the exit code that it ended with. */
async function untilEnded(worker: Worker): Promise<string | number> {
  const [code, signal] = (await once(worker, "exit")) as [number, string | null];
  return signal ?? code;
}

function kill(): void {
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
