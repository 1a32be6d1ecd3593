import cluster from "node:cluster";
import type { Service } from "./serving.ts";

/** The signals that stop the service after it has finished the requests in flight. */
export const STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** The signal that replaces the worker processes one by one. Windows has none such. */
export const RELOAD_SIGNAL = "SIGUSR2";

/** The environment variable that marks the workers of `startProcesses`. */
export const WORKER_VARIABLE = "SERVICE_WORKER";

/** The duty of a worker, as the value of the variable: to serve, or to prepare the service before it serves. */
export type WorkerDuty = "serve" | "prepare";

/** Whether this process is a worker of `startProcesses`. Workers of another program, such as `dev`, serve on their own. */
export const isWorker = cluster.isWorker && process.env[WORKER_VARIABLE] !== undefined;

/**
 * A message from the primary to a worker. After a reload, the primary may run an earlier version than the worker, so the meaning of
 * a message never changes.
 */
export interface PrimaryCommand {
  command?: "ping" | "retire" | "drain" | "close";
}

/** A message from a worker to the primary. */
export interface WorkerReport {
  baseUrl?: string;
  isAlive?: true;
  isDraining?: true;
}

/**
 * Runs the service in a worker and follows the commands of the primary. The worker ignores signals, since the primary handles
 * them. A terminal or service manager sends each signal to every process.
 */
export async function runWorker(prepare: () => Promise<void>, start: () => Promise<Service>): Promise<void> {
  for (const signal of [...STOP_SIGNALS, RELOAD_SIGNAL]) process.on(signal, () => {});
  const received = {
    retire: Promise.withResolvers<void>(),
    drain: Promise.withResolvers<void>(),
    close: Promise.withResolvers<void>(),
  };
  process.on("message", ({ command }: PrimaryCommand) => {
    if (command === "ping") send({ isAlive: true });
    else if (command !== undefined) received[command].resolve();
  });
  try {
    if ((process.env[WORKER_VARIABLE] as WorkerDuty) === "prepare") await prepare();
    const service = await start();
    send({ baseUrl: service.baseUrl });
    for (const command of ["retire", "drain"] as const) {
      void received[command].promise.then(() => {
        service[command]();
        send({ isDraining: true });
      });
    }
    await received.close.promise;
    await service.close();
  } catch (error) {
    process.channel!.unref(); // an open channel would keep the process running
    throw error;
  }
  cluster.worker!.disconnect(); // gives back connections that the primary is handing over
}

function send(report: WorkerReport): void {
  process.send!(report);
}
