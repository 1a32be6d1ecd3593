/**
 * `pnpm mutate`: mutation testing of the packages. Changes their code one place at a time in a copy of the repository, and
 * prints the mutants that survive the tests.
 *
 * Stryker 10 supports this Vitest, but switches mutants by a variable of the test worker. Processes and workers that a
 * test starts run without them, and many tests here start some. Stryker also cannot sample mutants, and its type check
 * needs an API that TypeScript 7 lacks. This command changes the file itself.
 */
import { chmodSync, existsSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { cloneInstalled } from "@platform/test-support/clone";
import { equivalentsOf } from "./mutation/equivalents.ts";
import { describeMutant } from "./mutation/mutants.ts";
import { mutatePackage, type SampleResult, type MutantResult } from "./mutation/package-mutation.ts";
import { endTestRuns, type Sandbox, TIMEOUT } from "./mutation/test-runs.ts";

const HELP = `Mutation testing: changes the code of packages, one place at a time in a copy, and prints the mutants that survive the tests.

  --package <name>  the folder name of a package; may be repeated (default: all packages with tests)
  --count <n>       the number of mutants of each package (default: 200)
  --seed <n>        the seed of the sample; the same seed and code give the same mutants (default: 1)
  --at <place>      only mutants of a file or a line, such as src/json.ts:12; may be repeated
  --floor <percent> fail if fewer mutants of a package are killed
  --jobs <n>        the number of parallel test runs (default: the number of processors)`;

const root = resolve(import.meta.dirname, "../../..");
const { values } = parseArgs({
  options: {
    package: { type: "string", multiple: true },
    count: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    at: { type: "string", multiple: true, default: [] },
    floor: { type: "string", default: "0" },
    jobs: { type: "string", default: String(availableParallelism()) },
    help: { type: "boolean", default: false },
  },
});
if (values.help) console.log(HELP);
else await main();

async function main(): Promise<void> {
  const options = { count: wholeNumber("count", 1), seed: wholeNumber("seed"), at: values.at };
  const floor = wholeNumber("floor");
  const folders = chosenFolders();
  const jobs = wholeNumber("jobs", 1);
  using sandboxes = createSandboxes(jobs);
  for (const folder of folders) {
    const began = performance.now();
    const [first, ...others] = sandboxes.roots.map((sandbox) => ({ ...sandbox, folder }));
    const sample = await mutatePackage([first!, ...others], options, equivalentsOf(folder), (result) =>
      printResult(folder, result),
    );
    const minutes = ((performance.now() - began) / 60_000).toFixed(1);
    const score = scoreOf(sample);
    console.log(summaryOf(basename(folder), sample, `seed ${options.seed}, ${minutes} min`));
    if (score < floor) {
      console.log(`${basename(folder)}: fewer than ${floor} % of the mutants were killed.`);
      process.exitCode = 1;
    }
  }
}

function wholeNumber(name: "count" | "seed" | "floor" | "jobs", least = 0): number {
  const value = values[name];
  if (/^\d{1,9}$/.test(value) && Number(value) >= least) return Number(value);
  return exitWithError(`--${name} must be a whole number of at least ${least}, not ${value}.`);
}

/** Prints what is wrong with an option and exits. No copies exist yet. */
function exitWithError(message: string): never {
  console.error(message);
  process.exit(1);
}

/** Returns the folders of the selected packages. */
function chosenFolders(): string[] {
  const withTests = globSync("{apps,packages}/*/test", { cwd: root }).map((test) => test.replace(/\/test$/, ""));
  const folders = withTests.filter((folder) => existsSync(join(root, folder, "src"))).toSorted();
  if (values.package === undefined) return folders;
  return values.package.map((name) => {
    const folder = folders.find((known) => basename(known) === name);
    if (folder !== undefined) return folder;
    return exitWithError(
      `There is no package ${name} with tests. Set --package to one of ${folders.map((known) => basename(known)).join(", ")}.`,
    );
  });
}

/** Copies the repository with its uncommitted work. Only the copies are changed; they are deleted at the end. */
function createSandboxes(count: number): Disposable & { roots: Pick<Sandbox, "root" | "temporary">[] } {
  const clones = Array.from({ length: count }, () => cloneInstalled());
  const temporary = clones.map(() => mkdtempSync(join(tmpdir(), "mutate-")));
  for (const directory of temporary) chmodSync(directory, 0o755); // for PostgreSQL, which runs as another user if this one is root
  const dispose = (): void => {
    endTestRuns();
    for (const clone of clones) clone[Symbol.dispose]();
    for (const directory of temporary) rmSync(directory, { recursive: true, force: true });
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => {
      dispose();
      process.exit(130);
    });
  return {
    roots: clones.map(({ directory }, index) => ({ root: directory, temporary: temporary[index]! })),
    [Symbol.dispose]: dispose,
  };
}

function printResult(folder: string, { mutant, killedBy }: MutantResult): void {
  if (killedBy === undefined)
    console.log(`survived  ${folder}/${mutant.file}:${mutant.line}  ${describeMutant(mutant)}`);
  else if (values.at.length > 0)
    console.log(`killed    ${folder}/${mutant.file}:${mutant.line}  ${describeMutant(mutant)}  by ${killedBy}`);
}

function scoreOf({ results }: SampleResult): number {
  const killed = results.filter(({ killedBy }) => killedBy !== undefined).length;
  return results.length === 0 ? 0 : (100 * killed) / results.length;
}

function summaryOf(name: string, sample: SampleResult, circumstances: string): string {
  const { results, invalid, equivalent, failing } = sample;
  const killed = results.filter(({ killedBy }) => killedBy !== undefined).length;
  const atTimeout = results.filter(({ killedBy }) => killedBy === TIMEOUT).length;
  const leftOut = `left out: ${invalid} that do not compile, ${equivalent} known to be equivalent`;
  const failed = failing.map((file) => `${name}: ${file} fails without a mutant and was left out.\n`).join("");
  return `${failed}${name}: ${killed} of ${results.length} mutants killed (${scoreOf(sample).toFixed(1)} %), ${atTimeout} of them at a timeout, ${leftOut}; ${circumstances}`;
}
