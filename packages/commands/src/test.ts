/** `pnpm test` and `pnpm test:long`: run checks through turbo, then say in a few lines what passed, what failed and what was left out. */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Report } from "@platform/test-support/reporter";

/** What each of the two runs; the task of its own name leaves reports. */
const RUNS = {
  test: {
    tasks: ["generate:check", "lint:contract", "//#format:check", "lint", "typecheck", "test"],
    concurrency: "100%", // as many tasks as processors, since most have several processes
  },
  // One of them runs `test` as a whole in a clone, which takes the machine for itself.
  "test:long": { tasks: ["test:long"], concurrency: "1" },
};

/** What is read of turbo's own summary of a run (`--summarize`). */
interface Run {
  tasks: {
    taskId: string;
    task: string;
    command: string;
    directory: string;
    execution?: { exitCode: number | null };
  }[];
}

/** Where the reporter leaves the report of a package, from its folder; said anew, as this has to run before anything is installed. */
const REPORT_FILE = ".turbo/vitest.json";

const [name, ...turboOptions] = process.argv.slice(2) as [keyof typeof RUNS, ...string[]];
const { tasks: wanted, concurrency } = RUNS[name];

process.chdir(resolve(import.meta.dirname, "../../.."));
for (const old of [...globSync(`{apps,packages}/*/${REPORT_FILE}`), ...runFiles()]) rmSync(old);
const turbo = spawnSync(
  "turbo",
  [
    "run",
    ...wanted,
    "--continue",
    "--summarize",
    "--output-logs=errors-only",
    `--concurrency=${concurrency}`,
    ...turboOptions,
  ],
  {
    stdio: "inherit",
    // Compilers and linters end soon; to collect garbage before only takes time.
    env: { GOGC: "off", GOMEMLIMIT: "1GiB", ...process.env, DO_NOT_TRACK: "1" },
  },
);

const failures: string[] = [];
const total: Report = { passed: 0, failed: 0, skipped: [], files: [] };
const [runFile] = runFiles();
if (runFile === undefined) failures.push(`turbo itself, before any check: ${turbo.error?.message ?? "see above"}`);
const { tasks } = runFile === undefined ? { tasks: [] } : (read(runFile) as Run);
for (const { taskId, task, command, directory, execution } of tasks) {
  if (command === "<NONEXISTENT>") continue;
  if (execution?.exitCode !== 0) failures.push(taskId);
  if (task === name) add(taskId, directory);
}

if (name === "test:long") {
  for (const file of total.files.toSorted((one, other) => other.seconds - one.seconds))
    console.log(`${(file.seconds / 60).toFixed(1).padStart(4)} min ${file.name}`);
}
for (const skipped of total.skipped) console.log(`skipped  ${skipped.name} (${skipped.reason})`);
if (name === "test")
  console.log("left out the long tests, those in a browser among them (npx -y pnpm@12.21.0 test:long)");
for (const failure of failures) console.log(`failed   ${failure}`);
const seconds = Math.round(performance.now() / 1000); // of this process, whose beginning is time 0
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped.length} skipped in ${seconds} s`);
process.exitCode = failures.length > 0 ? 1 : (turbo.status ?? 1);

function add(taskId: string, directory: string): void {
  const file = join(directory, REPORT_FILE);
  if (!existsSync(file)) {
    failures.push(`${taskId}: left no report, so its tests are not counted`);
    return;
  }
  const report = read(file) as Report;
  total.passed += report.passed;
  total.failed += report.failed;
  total.files.push(...report.files.map((one) => ({ ...one, name: `${directory}/${one.name}` })));
  total.skipped.push(...report.skipped.map((test) => ({ ...test, name: `${directory}: ${test.name}` })));
}

function runFiles(): string[] {
  return globSync(".turbo/runs/*.json");
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}
