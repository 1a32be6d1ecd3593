import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { configDefaults, defineConfig } from "vitest/config";
import type { Reporter, SerializedError, TestModule, Vitest } from "vitest/node";

/** The path of a package's test report, from the folder of the package. */
const REPORT_FILE = ".turbo/vitest.json";

/** The test results of one package. A file that cannot be loaded counts as one failed test. */
export interface Report {
  passed: number;
  /** The reason is the first line of the first error. */
  failed: { name: string; reason: string }[];
  skipped: { name: string; reason: string }[];
  /** The duration of each test file with its hooks, by path from the folder of the package. */
  files: { name: string; seconds: number }[];
}

/** Writes the `Report` that `pnpm test` sums up. Unlike Vitest's JSON reporter, it includes why a test was skipped. */
class ReportWriter implements Reporter {
  #directory = "";

  onInit(vitest: Vitest): void {
    this.#directory = vitest.config.root;
  }

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const file = join(this.#directory, REPORT_FILE);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(reportOf(modules), null, 2));
  }
}

function reportOf(modules: readonly TestModule[]): Report {
  const report: Report = { passed: 0, failed: [], skipped: [], files: [] };
  for (const module of modules) {
    const failedBefore = report.failed.length;
    for (const test of module.children.allTests()) {
      const { state, note, errors } = test.result() as { state: string; note?: string; errors?: SerializedError[] };
      if (state === "passed") report.passed++;
      else if (state === "failed")
        report.failed.push({ name: `${module.relativeModuleId} > ${test.fullName}`, reason: firstLine(errors) });
      else report.skipped.push({ name: test.fullName, reason: note ?? "no reason given" });
    }
    report.files.push({ name: module.relativeModuleId, seconds: module.diagnostic().duration / 1000 });
    if (module.state() === "failed" && report.failed.length === failedBefore)
      report.failed.push({ name: module.relativeModuleId, reason: firstLine(module.errors()) });
  }
  return report;
}

function firstLine(errors: readonly SerializedError[] = []): string {
  const [line = ""] = stripVTControlCharacters(errors[0]?.message ?? "").split("\n", 1);
  return line.slice(0, 200);
}

/** The tests that `test` leaves out, by the end of their names. */
const KINDS = [".long.test", ".alone.test"];

/**
 * The Vitest configuration of every package. It writes the report for `pnpm test`, and its timeouts are long, because other
 * checks run at the same time. `*.long.test.ts` and `*.alone.test.ts` run only if the command line names such a file or the ending.
 */
export default defineConfig({
  test: {
    exclude: configDefaults.exclude.concat(
      KINDS.filter((kind) => !process.argv.some((argument) => argument.includes(kind))).map((kind) => `**/*${kind}.ts`),
    ),
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
