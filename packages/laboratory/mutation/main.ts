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
import { basename, dirname, join, resolve } from "node:path";
import { PNPM, createProgram, runProgram, wholeNumber } from "@platform/command-line";
import { cloneInstalled } from "@platform/test-support/clone";
import { equivalentsOf } from "./equivalents.ts";
import { describeMutant } from "./mutants.ts";
import { mutatePackage, type SampleResult, type MutantResult } from "./package-mutation.ts";
import { endTestRuns, type Sandbox, TIMEOUT } from "./test-runs.ts";

const root = resolve(import.meta.dirname, "../../..");
const program = createProgram("mutate", {
  description:
    "Mutation testing: changes the code of packages, one place at a time in a copy, and prints the mutants that survive the tests.",
  folder: import.meta.dirname,
  examples: [`${PNPM} mutate --package storage --count 20`, `${PNPM} mutate --package storage --at src/url.ts:12`],
})
  .option("--package <name...>", "folder names of packages (default: all packages with tests)")
  .option("--count <n>", "the number of mutants of each package", wholeNumber(1), 200)
  .option("--seed <n>", "the seed of the sample; the same seed and code give the same mutants", wholeNumber(), 1)
  .option("--at <place...>", "only mutants of files or lines, such as src/json.ts:12")
  .option("--floor <percent>", "fail if fewer mutants of a package are killed", wholeNumber(), 0)
  .option("--jobs <n>", "the number of parallel test runs", wholeNumber(1), availableParallelism())
  .action(mutate);

await runProgram(program);

interface Options {
  package?: string[];
  count: number;
  seed: number;
  at?: string[];
  floor: number;
  jobs: number;
}

async function mutate({ package: names, floor, jobs, at = [], count, seed }: Options): Promise<void> {
  const folders = chosenFolders(names);
  using sandboxes = createSandboxes(jobs);
  for (const folder of folders) {
    const began = performance.now();
    const [first, ...others] = sandboxes.roots.map((sandbox) => ({ ...sandbox, folder }));
    const sample = await mutatePackage([first!, ...others], { count, seed, at }, equivalentsOf(folder), (result) =>
      printResult(folder, result, at.length > 0),
    );
    const minutes = ((performance.now() - began) / 60_000).toFixed(1);
    const score = scoreOf(sample);
    console.log(summaryOf(basename(folder), sample, `seed ${seed}, ${minutes} min`));
    if (score < floor) {
      console.log(`${basename(folder)}: fewer than ${floor} % of the mutants were killed.`);
      process.exitCode = 1;
    }
  }
}

/** Returns the folders of the selected packages. */
function chosenFolders(names: string[] | undefined): string[] {
  const withTests = globSync("{apps,packages}/*/test", { cwd: root }).map((test) =>
    dirname(test).replaceAll("\\", "/"),
  );
  const folders = withTests.filter((folder) => existsSync(join(root, folder, "src"))).toSorted();
  if (names === undefined) return folders;
  return names.map(
    (name) =>
      folders.find((known) => basename(known) === name) ??
      program.error(
        `error: There is no package ${name} with tests. Set --package to one of ${folders.map((known) => basename(known)).join(", ")}.`,
      ),
  );
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

function printResult(folder: string, { mutant, killedBy }: MutantResult, isKillShown: boolean): void {
  if (killedBy === undefined)
    console.log(`survived  ${folder}/${mutant.file}:${mutant.line}  ${describeMutant(mutant)}`);
  else if (isKillShown)
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
