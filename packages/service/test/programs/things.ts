import { runService } from "../../src/life/run-service.ts";
import { thingsService } from "../../testing/things.ts";

/** A service of things as a program, with the settings of its environment. */
try {
  await runService({ ...thingsService({ env: process.env }), path: import.meta.filename });
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
