import cluster from "node:cluster";
import { constants } from "node:os";
import { setTimeout } from "node:timers/promises";
import { obeyPrimary, startProcesses, STOPPING } from "./cluster.ts";
import { createLogger } from "../observability/request-log.ts";
import type { ServiceDefinition, RunningService } from "./serving.ts";
import { startService } from "./start-service.ts";

/** A service as a program. */
export interface ServiceProgram extends ServiceDefinition {
  /** The path of the program, which other processes are started from with the argument `serve`. */
  path: string;
  /** Done once, before any process serves. */
  prepare: () => Promise<void>;
  /** What is printed once it serves. */
  greeting: (serving: RunningService) => string;
}

/** Runs the service until a signal, or the end of the process that started it, and resolves once everything in flight is answered. */
export async function runService(program: ServiceProgram): Promise<void> {
  const { config } = program;
  const logger = createLogger(config.logLevel);
  process.on("SIGUSR1", () => {}); // takes the place of Node's own handler, which opens the inspector
  if (cluster.isWorker) return obeyPrimary(() => startService(program, logger));
  await program.prepare();
  const serving: RunningService = await (config.processes === 1 ? startService : startProcesses)(program, logger);
  const stopRequest = untilStopRequested(serving.kill);
  console.log(program.greeting(serving));
  try {
    await Promise.race([stopRequest, serving.failed ?? stopRequest]);
  } finally {
    await serving.drain();
    await setTimeout(config.shutdownDelay * 1_000);
    await serving.close();
  }
  logger.info(await stopRequest, "stopped");
}

/**
 * Resolves at the first signal, or when the process that started this one with an IPC channel has ended, however it did.
 * The second signal ends the program at once, with the exit code that shells give it.
 */
function untilStopRequested(kill: RunningService["kill"]): Promise<{ signal: NodeJS.Signals } | { parent: "ended" }> {
  let isSignalled = false;
  return new Promise((resolve) => {
    const abandon = (): void => resolve({ parent: "ended" });
    process.on("disconnect", abandon);
    process.channel?.unref(); // to listen for its end is no reason to stay
    const isConnected = process.connected as boolean | undefined; // as it is where there never was a channel
    if (isConnected === false) abandon();
    for (const signal of STOPPING) {
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
