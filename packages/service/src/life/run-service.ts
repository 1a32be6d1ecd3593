import cluster from "node:cluster";
import { realpathSync } from "node:fs";
import { constants } from "node:os";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Logger } from "pino";
import { startProcesses } from "./cluster.ts";
import { createLogger } from "../observability/request-log.ts";
import type { ServiceDefinition, RunningService } from "./serving.ts";
import { startService } from "./start-service.ts";
import { isWorker, RELOAD_SIGNAL, runWorker, STOP_SIGNALS } from "./worker.ts";

/** A service as a command-line program. */
export interface ServiceProgram extends ServiceDefinition {
  /** The path of the program. Workers run it with the argument `serve`. */
  path: string;
  /** Runs once before any process serves, and once at each reload. */
  prepare: () => Promise<void>;
  /** Returns the text to print once the service runs. */
  greeting: (service: RunningService) => string;
}

/** Returns the path of the program at a URL as it was started, so that a reload follows a link that leads to another version by then. */
export function programPath(url: URL): string {
  const path = fileURLToPath(url);
  const started = process.argv[1]!; // another program, if that program imports this one
  return realpathSync(started) === realpathSync(path) ? started : path;
}

/** Why the service stops. */
type StopRequest = { signal: NodeJS.Signals } | { parent: "ended" | "shutdown" };

/**
 * The time of the drain before a shutdown by the parent process, in milliseconds. Clients that send one request after another
 * get a response with `Connection: close` in this time, so that none sends a request on a connection that is being closed.
 */
const SHUTDOWN_DRAIN_MS = 100;

/** How long the last lines of the log may wait for their reader, in milliseconds. */
const LAST_LINES_MS = 2_000;

/**
 * Runs the service until a signal, until the process that started it ends, or until that process sends the message `shutdown`.
 * Resolves after the requests in flight are finished. A stop that is requested before any process serves ends the program with 0.
 */
export async function runService(program: ServiceProgram): Promise<void> {
  const { config } = program;
  const logger = createLogger(config.logLevel);
  process.on("SIGUSR1", () => {}); // replaces Node's own handler, which opens the inspector
  if (isWorker) return runWorker(program.prepare, () => startService(program, logger));
  let service: RunningService | undefined;
  const stopRequest = waitForStopRequest(() => service?.kill?.());
  const started = Promise.withResolvers<RunningService>();
  const reload = coalesce(async () => reloadService(await started.promise, program, logger));
  process.on(RELOAD_SIGNAL, () => void reload());
  try {
    const earlyRequest = await Promise.race([stopRequest, program.prepare()]);
    if (earlyRequest !== undefined) {
      logger.info(earlyRequest, "stopped");
      process.exit(0); // at once, since a migration may take long, and nobody is connected yet
    }
    const isSingle = config.processes === 1 || cluster.isWorker; // a worker cannot start workers
    service = await (isSingle ? startService : startProcesses)(program, logger);
  } finally {
    process.channel?.unref(); // it must not keep the process running; but `listen` waits for an answer of the primary, by it alone
  }
  let drainMs = config.shutdownDelay * 1_000;
  try {
    const ended = Promise.race([stopRequest, service.failed ?? stopRequest]);
    const isStopped = (await Promise.race([stopRequest, Promise.resolve()])) !== undefined;
    if (!isStopped && (await Promise.race([ended, service.startOthers?.()])) === undefined) {
      console.log(program.greeting(service));
      started.resolve(service);
    }
    const request = await ended;
    if ("parent" in request && request.parent === "shutdown") drainMs = SHUTDOWN_DRAIN_MS;
  } finally {
    await service.drain();
    await setTimeout(drainMs);
    await service.close();
  }
  logger.info(await stopRequest, "stopped");
  void setTimeout(LAST_LINES_MS, undefined, { ref: false }).then(() => process.exit()); // nobody may be reading the log
}

/** Replaces the workers. One process alone is not replaced, because no other could serve meanwhile; it only prepares again. */
async function reloadService(service: RunningService, program: ServiceProgram, logger: Logger): Promise<void> {
  try {
    if (service.reload !== undefined) return await service.reload();
    await program.prepare();
    logger.info({ replaced: 0 }, "reloaded");
  } catch (error) {
    logger.error({ err: error }, "the reload failed, and the processes that were not replaced keep running");
  }
}

/** Returns a function that runs `work`, but never twice at a time: calls during a run are followed by one more run. */
function coalesce(work: () => Promise<void>): () => Promise<void> {
  let isRunning = false;
  let isRequested = false;
  return async () => {
    isRequested = true;
    if (isRunning) return;
    isRunning = true;
    while (isRequested) {
      isRequested = false;
      await work();
    }
    isRunning = false;
  };
}

/**
 * Resolves at the first signal. If a parent process has opened an IPC channel, it also resolves at the message `shutdown`, and
 * when that process ends for any reason. A second signal ends the program at once, with the exit code that shells use for the
 * signal.
 */
function waitForStopRequest(kill: () => void): Promise<StopRequest> {
  let isSignalled = false;
  return new Promise((resolve) => {
    const onParentEnded = (): void => resolve({ parent: "ended" });
    process.on("disconnect", onParentEnded);
    process.on("message", (message) => {
      if (message === "shutdown") resolve({ parent: "shutdown" });
    });
    const isConnected = process.connected as boolean | undefined; // undefined if there never was a channel
    if (isConnected === false) onParentEnded();
    for (const signal of STOP_SIGNALS) {
      process.on(signal, () => {
        if (isSignalled) {
          kill();
          process.exit(128 + constants.signals[signal]);
        }
        isSignalled = true;
        resolve({ signal });
      });
    }
  });
}
