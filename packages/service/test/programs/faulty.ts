import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { runService } from "../../src/life/run-service.ts";
import { thingsService } from "../../testing/things.ts";

/**
 * Runs a service of things whose processes do not start once the file FAULT exists. With EARLY_RELOAD, it gets the signal to reload
 * during its start. With ENDLESS_MIGRATION, it never serves.
 */
const service = thingsService({ env: process.env });
const fault = process.env["FAULT"] ?? "";
let isEarly = process.env["EARLY_RELOAD"] !== undefined;
try {
  await runService({
    ...service,
    prepare: async () => {
      if (isEarly) process.kill(process.pid, "SIGUSR2");
      isEarly = false;
      console.log("prepared");
      if (process.env["ENDLESS_MIGRATION"] !== undefined) await setTimeout(2 ** 31 - 1);
    },
    open: (context) => {
      if (existsSync(fault)) throw new Error("the fault");
      return service.open(context);
    },
    path: import.meta.filename,
  });
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
