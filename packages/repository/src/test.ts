/** `pnpm test` and `pnpm test:long`: run checks through turbo, then print a short summary of passed, failed and skipped tests. */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Report } from "@platform/test-support/vitest-config";
import { createProgram, PNPM } from "./command-line.ts";

/** Lints all code and checks its types in one program, which takes a third of the time of one program for each package. */
const CODE = "//#lint:code";

/** The tasks of each command. The task with the name of the command writes reports. */
const RUNS = {
  test: {
    tasks: [
      "generate:check",
      "lint:contract",
      "//#format:check",
      "//#lint:prose",
      "//#lint:spelling",
      CODE,
      "typecheck:src",
      "test",
    ],
    description:
      "Checks contract, code, format and types, and runs the tests. Results of unchanged packages come from the cache.",
    concurrency: "100%", // one task per processor, because most tasks start several processes
  },
  // One of them runs all of `test` in a clone and needs the whole machine.
  "test:long": { description: "Runs the long tests.", tasks: ["test:long"], concurrency: "1" },
};

/** The fields used of turbo's run summary (`--summarize`). */
interface Run {
  tasks: {
    taskId: string;
    task: string;
    command: string;
    directory: string;
    execution?: { exitCode: number | null };
  }[];
}

/** The path of a package's report. Repeats the reporter's constant, because this program must run before an install. */
const REPORT_FILE = ".turbo/vitest.json";

/** The most skipped tests of a package that are listed in full; a new service has one for each operation. */
const MAX_SKIPPED = 40;

/** cspell rejects older versions. They run this only where the repository has no Node of its own, as with musl. */
const SPELLING = { task: "//#lint:spelling", needs: 22.18 };

const [name, ...args] = process.argv.slice(2) as [keyof typeof RUNS, ...string[]];
const { tasks: wanted, concurrency, description } = RUNS[name];
const program = createProgram(name, {
  description,
  folder: import.meta.dirname,
  examples: [`${PNPM} ${name}`, `${PNPM} ${name} --filter @openapi-operations/storage`],
});
const { force, filter = [] } = program
  .option("--force", "run the tasks again whose results are in the cache")
  .option("--filter <package...>", "only tasks of these packages")
  .parse(args, { from: "user" })
  .opts<{ force?: true; filter?: string[] }>();

const canSpell = Number.parseFloat(process.versions.node) >= SPELLING.needs;
process.chdir(resolve(import.meta.dirname, "../../.."));
for (const old of [...globSync(`{apps,packages}/*/${REPORT_FILE}`), ...runFiles()]) rmSync(old);
const turbo = spawnSync(
  process.execPath, // Windows has no executable `turbo`
  [
    "node_modules/turbo/bin/turbo",
    "run",
    ...wanted
      .filter((task) => canSpell || task !== SPELLING.task)
      .flatMap((task) => (task === CODE && filter.length > 0 ? ["lint", "typecheck"] : [task])),
    "--continue",
    "--summarize",
    "--output-logs=errors-only",
    `--concurrency=${concurrency}`,
    ...(force === true ? ["--force"] : []),
    ...filter.map((each) => `--filter=${each}`),
  ],
  // No garbage collection: compilers and linters end soon, so it would only take time.
  { stdio: "inherit", env: { GOGC: "off", GOMEMLIMIT: "1GiB", ...process.env } },
);

const failures: string[] = [];
const total: Report = { passed: 0, failed: [], skipped: [], files: [] };
const [runFile] = runFiles();
if (runFile === undefined) failures.push(`turbo itself, before any check: see above`);
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
for (const [folder, skipped] of Map.groupBy(total.skipped, ({ name: test }) => test.split(": ", 1)[0])) {
  const shown = skipped.length > MAX_SKIPPED ? skipped.slice(0, MAX_SKIPPED / 2) : skipped;
  for (const { name: test, reason } of shown) console.log(`skipped  ${test} (${reason})`);
  if (shown.length < skipped.length)
    console.log(`skipped  ${folder}: and ${skipped.length - shown.length} more, listed in ${folder}/${REPORT_FILE}`);
}
if (name === "test" && !canSpell)
  console.log(`skipped  ${SPELLING.task} (cspell needs Node ${SPELLING.needs}, and this is ${process.versions.node})`);
if (name === "test") console.log(`left out the long tests, those in a browser among them (${PNPM} test:long)`);
for (const failure of failures) console.log(`failed   ${failure}`);
for (const { name: test, reason } of total.failed) console.log(`failed   ${test} (${reason})`);
const seconds = Math.round(performance.now() / 1000); // since the start of this process
console.log(`${total.passed} passed, ${total.failed.length} failed, ${total.skipped.length} skipped in ${seconds} s`);
process.exitCode = failures.length > 0 ? 1 : (turbo.status ?? 1);

function add(taskId: string, directory: string): void {
  const file = join(directory, REPORT_FILE);
  if (!existsSync(file)) {
    failures.push(`${taskId}: left no report, so its tests are not counted`);
    return;
  }
  const report = read(file) as Report;
  total.passed += report.passed;
  total.failed.push(...report.failed.map((test) => ({ ...test, name: `${directory}/${test.name}` })));
  total.files.push(...report.files.map((one) => ({ ...one, name: `${directory}/${one.name}` })));
  total.skipped.push(...report.skipped.map((test) => ({ ...test, name: `${directory}: ${test.name}` })));
}

function runFiles(): string[] {
  return globSync(".turbo/runs/*.json");
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}
