import { runService } from "../../src/life/run-service.ts";
import { thingsService } from "../../testing/things.ts";

/** Runs a service of things as a program, with settings from its environment. */
try {
  await runService({ ...thingsService({ env: process.env }), path: import.meta.filename });
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
