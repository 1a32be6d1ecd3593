import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import ReportWriter from "./reporter.ts";

/**
 * How every package's tests run: with a report for `pnpm test`, and with time to spare while other checks take the processor.
 * Those in `*.long.test.ts` run only where LONG_TESTS is set.
 */
export default defineConfig({
  test: {
    exclude:
      process.env["LONG_TESTS"] === undefined
        ? [...configDefaults.exclude, "**/*.long.test.ts"]
        : configDefaults.exclude,
    reporters: ["default", new ReportWriter()],
    maxWorkers: availableParallelism(), // each loads the same modules anew
    isolate: false, // no test changes what a module holds, and loading the service again for each file is dear
    // The tests start hundreds of processes of a few programs, which need not be compiled anew each time.
    env: { NODE_COMPILE_CACHE: resolve(import.meta.dirname, "../../../node_modules/.cache/compiled") },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
