import cluster from "node:cluster";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { relative } from "node:path";
import { setTimeout } from "node:timers/promises";
import { version } from "@petstore/contract";
import { obeyPrimary, startProcesses, STOPPING } from "./cluster.ts";
import type { Config } from "./config.ts";
import { prepare } from "./prepare.ts";
import { createLogger } from "./observability/request-log.ts";
import { start } from "./server.ts";
import type { Serving } from "./serving.ts";

/** Runs the service until a signal, or the end of the process that started it, and resolves once everything in flight is answered. */
export async function serve(config: Config): Promise<void> {
  const logger = createLogger(config.logLevel);
  process.on("SIGUSR1", () => {}); // takes the place of Node's own handler, which opens the inspector
  if (cluster.isWorker) return obeyPrimary(() => start(config, logger));
  await prepare(config);
  const serving: Serving = await (config.processes === 1 ? start : startProcesses)(config, logger);
  const stopRequest = untilStopRequested(serving.kill);
  console.log(greeting(config, serving));
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
function untilStopRequested(kill: Serving["kill"]): Promise<{ signal: NodeJS.Signals } | { parent: "ended" }> {
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

function greeting(config: Config, { baseUrl, metricsUrl }: Serving): string {
  const processes = config.processes === 1 ? "" : `, ${config.processes} processes`;
  const lines = [`Petstore ${version} (${config.environment}${processes}) is listening on ${baseUrl}`];
  lines.push(`Its reference, where every operation can be tried, is at ${new URL("/docs", baseUrl).href}`);
  if (metricsUrl !== undefined) lines.push(`Metrics are at ${metricsUrl}`);
  const keyFile = relative(process.cwd(), config.quickstartFile);
  if (config.environment === "development" && existsSync(keyFile)) {
    const curl = `curl -i -H "Authorization: Bearer $(cat ${keyFile})"`;
    lines.push(
      "",
      "Try it from another terminal:",
      `  ${curl} ${baseUrl}/pets`,
      `  ${curl} -H 'Content-Type: application/json' -d '{"name":"Rex","categoryId":1}' ${baseUrl}/pets`,
      "",
      "Ctrl+C stops it.",
      "",
    );
  }
  return lines.join("\n");
}
