import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Reporter, TestModule, Vitest } from "vitest/node";

/** The path of a package's test report, from the folder of the package. */
export const REPORT_FILE = ".turbo/vitest.json";

/** The test results of one package. A file that cannot be loaded counts as one failed test. */
export interface Report {
  passed: number;
  failed: number;
  skipped: { name: string; reason: string }[];
  /** The duration of each test file with its hooks, by path from the folder of the package. */
  files: { name: string; seconds: number }[];
}

/** Writes the `Report` that `pnpm test` sums up. Unlike Vitest's JSON reporter, it includes why a test was skipped. */
export default class ReportWriter implements Reporter {
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
  const report: Report = { passed: 0, failed: 0, skipped: [], files: [] };
  for (const module of modules) {
    const failedBefore = report.failed;
    for (const test of module.children.allTests()) {
      const { state, note } = test.result() as { state: string; note?: string };
      if (state === "passed") report.passed++;
      else if (state === "failed") report.failed++;
      else report.skipped.push({ name: test.fullName, reason: note ?? "no reason given" });
    }
    report.files.push({ name: module.relativeModuleId, seconds: module.diagnostic().duration / 1000 });
    if (module.state() === "failed" && report.failed === failedBefore) report.failed++;
  }
  return report;
}
