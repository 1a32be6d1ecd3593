/** `pnpm test`: runs every check through turbo, then says in a few lines what passed, what failed and what was left out. */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Report, REPORT_FILE } from "./reporter.ts";

const CHECKS = ["generate:check", "lint:contract", "//#format:check", "lint", "typecheck", "test"];

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

process.chdir(resolve(import.meta.dirname, "../../.."));
for (const old of [...globSync(`{apps,packages}/*/${REPORT_FILE}`), ...runFiles()]) rmSync(old);
const turbo = spawnSync(
  "turbo",
  [
    "run",
    ...CHECKS,
    "--continue",
    "--summarize",
    "--output-logs=errors-only",
    "--concurrency=100%", // as many tasks as processors, since most have several processes
    ...process.argv.slice(2),
  ],
  {
    stdio: "inherit",
    // Compilers and linters end soon; to collect garbage before only takes time.
    env: { GOGC: "off", GOMEMLIMIT: "1GiB", ...process.env, DO_NOT_TRACK: "1" },
  },
);

const failures: string[] = [];
const total: Report = { passed: 0, failed: 0, skipped: [] };
const [runFile] = runFiles();
if (runFile === undefined) failures.push(`turbo itself, before any check: ${turbo.error?.message ?? "see above"}`);
const { tasks } = runFile === undefined ? { tasks: [] } : (read(runFile) as Run);
for (const { taskId, task, command, directory, execution } of tasks) {
  if (command === "<NONEXISTENT>") continue;
  if (execution?.exitCode !== 0) failures.push(taskId);
  if (task === "test") add(taskId, directory);
}

for (const { name, reason } of total.skipped) console.log(`skipped  ${name} (${reason})`);
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
  total.skipped.push(...report.skipped.map(({ name, reason }) => ({ name: `${directory}: ${name}`, reason })));
}

function runFiles(): string[] {
  return globSync(".turbo/runs/*.json");
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}
