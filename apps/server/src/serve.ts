import cluster from "node:cluster";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { relative } from "node:path";
import { setTimeout } from "node:timers/promises";
import { version } from "@petstore/contract";
import { obeyPrimary, startProcesses } from "./cluster.ts";
import type { Config } from "./config.ts";
import { prepare } from "./prepare.ts";
import { createLogger } from "./observability/request-log.ts";
import { type Service, start } from "./server.ts";

/** The service at work, in this process or in several. */
export interface Serving extends Omit<Service, "drain"> {
  /** As of a `Service`; resolves when it holds in every process. */
  drain: () => Promise<void> | void;
  /** Rejects when it cannot go on. */
  failed?: Promise<never>;
  /** Ends the other processes at once. */
  kill?: () => void;
}

/** Runs the service until SIGTERM or SIGINT, and resolves once everything in flight is answered. */
export async function serve(config: Config): Promise<void> {
  const logger = createLogger(config.logLevel);
  if (cluster.isWorker) return obeyPrimary(() => start(config, logger));
  await prepare(config);
  const serving: Serving = await (config.processes === 1 ? start : startProcesses)(config, logger);
  const signalled = untilSignalled(serving.kill);
  console.log(greeting(config, serving));
  try {
    await Promise.race([signalled, serving.failed ?? signalled]);
  } finally {
    await serving.drain();
    await setTimeout(config.shutdownDelay * 1_000);
    await serving.close();
  }
  logger.info({ signal: await signalled }, "stopped");
}

/** Resolves at the first SIGTERM or SIGINT. The second ends the program at once, with the exit code that shells give it. */
function untilSignalled(kill: Serving["kill"]): Promise<NodeJS.Signals> {
  let isSignalled = false;
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.on(signal, () => {
        if (isSignalled) {
          kill?.();
          process.exit(128 + constants.signals[signal]);
        }
        isSignalled = true;
        resolve(signal);
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
