import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Reporter, TestModule, Vitest } from "vitest/node";

/** Where a package's tests leave their report, from the package's folder. */
export const REPORT_FILE = ".turbo/vitest.json";

/** What became of the tests of one package. A file that could not be loaded counts as one failed test. */
export interface Report {
  passed: number;
  failed: number;
  skipped: { name: string; reason: string }[];
  /** How long the tests of each file took, with their hooks. Files are named from the package's folder. */
  files: { name: string; seconds: number }[];
}

/** Writes the `Report` that `pnpm test` adds up. Unlike Vitest's own JSON it says why a test was skipped. */
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
