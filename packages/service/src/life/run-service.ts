import cluster from "node:cluster";
import { constants } from "node:os";
import { setTimeout } from "node:timers/promises";
import { runWorker, startProcesses, STOP_SIGNALS } from "./cluster.ts";
import { createLogger } from "../observability/request-log.ts";
import type { ServiceDefinition, RunningService } from "./serving.ts";
import { startService } from "./start-service.ts";

/** A service as a command-line program. */
export interface ServiceProgram extends ServiceDefinition {
  /** The path of the program. Workers run it with the argument `serve`. */
  path: string;
  /** Runs once, before any process serves. */
  prepare: () => Promise<void>;
  /** Returns the text to print once the service runs. */
  greeting: (service: RunningService) => string;
}

/**
 * Runs the service until a signal, or until the process that started it ends. Resolves after the requests in flight are finished.
 */
export async function runService(program: ServiceProgram): Promise<void> {
  const { config } = program;
  const logger = createLogger(config.logLevel);
  process.on("SIGUSR1", () => {}); // replaces Node's own handler, which opens the inspector
  if (cluster.isWorker) return runWorker(() => startService(program, logger));
  await program.prepare();
  const service: RunningService = await (config.processes === 1 ? startService : startProcesses)(program, logger);
  const stopRequest = waitForStopRequest(service.kill);
  console.log(program.greeting(service));
  try {
    await Promise.race([stopRequest, service.failed ?? stopRequest]);
  } finally {
    await service.drain();
    await setTimeout(config.shutdownDelay * 1_000);
    await service.close();
  }
  logger.info(await stopRequest, "stopped");
}

/**
 * Resolves at the first signal. If a parent process has opened an IPC channel, it also resolves when that process ends for any
 * reason. A second signal ends the program at once, with the exit code that shells use for the signal.
 */
function waitForStopRequest(kill: RunningService["kill"]): Promise<{ signal: NodeJS.Signals } | { parent: "ended" }> {
  let isSignalled = false;
  return new Promise((resolve) => {
    const onParentEnded = (): void => resolve({ parent: "ended" });
    process.on("disconnect", onParentEnded);
    process.channel?.unref(); // the channel must not keep the process running
    const isConnected = process.connected as boolean | undefined; // undefined if there never was a channel
    if (isConnected === false) onParentEnded();
    for (const signal of STOP_SIGNALS) {
      process.on(signal, () => {
        if (isSignalled) {
          kill?.();
          process.exit(128 + constants.signals[signal]);
        }
        isSignalled = true;
        resolve({ signal });
      });
    }
  });
}
