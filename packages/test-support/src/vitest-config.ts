import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import ReportWriter from "./reporter.ts";

/**
 * The Vitest configuration of every package. It writes the report for `pnpm test`, and its timeouts are long, because other
 * checks run at the same time. `*.long.test.ts` runs only if the command line names such a file or the ending itself.
 */
export default defineConfig({
  test: {
    exclude: process.argv.some((argument) => argument.includes(".long.test"))
      ? configDefaults.exclude
      : [...configDefaults.exclude, "**/*.long.test.ts"],
    reporters: ["default", new ReportWriter()],
    maxWorkers: availableParallelism(), // no more, because each worker loads the same modules again
    isolate: false, // no test changes the state of a module, and loading the service again for each file is slow
    // The tests start the same few programs hundreds of times; the cache saves compiling them each time.
    env: { NODE_COMPILE_CACHE: resolve(import.meta.dirname, "../../../node_modules/.cache/compiled") },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
