/**
 * `pnpm mutate`: changes the code of packages, one place at a time in a copy, and names the changes that their tests do not notice.
 *
 * Stryker 10 runs on this Vitest. It switches mutants by a variable of the worker, so the processes and workers that tests
 * start run the code without them; these are a large part of the tests here. It has no samples, and its check by the compiler
 * needs an API that TypeScript 7 lacks. Here the file itself is changed.
 */
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { cloneInstalled } from "@platform/test-support/clone";
import { equivalentsOf } from "./mutation/equivalents.ts";
import { describeMutant } from "./mutation/mutants.ts";
import { mutatePackage, type SampleResult, type MutantResult } from "./mutation/package-mutation.ts";
import { endTestRuns, type Sandbox } from "./mutation/test-runs.ts";

const HELP = `Changes the code of packages, one place at a time in a copy of the repository, and tells which changes their tests do not notice.

  --package <name>  the package, as its folder is called; may be repeated (default: all that have tests)
  --count <n>       how many mutants of each package (default: 200)
  --seed <n>        which ones: the same seed takes the same mutants of the same code (default: 1)
  --at <place>      only those of a file or a line, such as src/json.ts:12; may be repeated
  --floor <percent> fail if fewer are noticed in a package
  --jobs <n>        how many at a time (default: as many as processors)`;

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
  using places = createSandboxes(jobs);
  for (const folder of folders) {
    const began = performance.now();
    const hasLongTestsOnly = !("test" in manifestOf(folder).scripts);
    const [first, ...others] = places.roots.map((place) => ({ ...place, folder, hasLongTestsOnly }));
    const sample = await mutatePackage([first!, ...others], options, equivalentsOf(folder), (result) =>
      printResult(folder, result),
    );
    const minutes = ((performance.now() - began) / 60_000).toFixed(1);
    const score = scoreOf(sample);
    console.log(summaryOf(basename(folder), sample, `seed ${options.seed}, ${minutes} min`));
    if (score < floor) {
      console.log(`${basename(folder)}: fewer than ${floor} % were noticed.`);
      process.exitCode = 1;
    }
  }
}

function wholeNumber(name: "count" | "seed" | "floor" | "jobs", least = 0): number {
  const value = values[name];
  if (/^\d{1,9}$/.test(value) && Number(value) >= least) return Number(value);
  return refuse(`--${name} ${value} is no whole number from ${least}.`);
}

/** Ends the program with a line that says what is wrong with an option; there are no copies yet. */
function refuse(message: string): never {
  console.error(message);
  process.exit(1);
}

/** The folders of the packages that are asked for. */
function chosenFolders(): string[] {
  const withTests = globSync("{apps,packages}/*/test", { cwd: root }).map((test) => test.replace(/\/test$/, ""));
  const folders = withTests.filter((folder) => existsSync(join(root, folder, "src"))).toSorted();
  if (values.package === undefined) return folders;
  return values.package.map((name) => {
    const folder = folders.find((known) => basename(known) === name);
    if (folder !== undefined) return folder;
    return refuse(`--package ${name} is none of ${folders.map((known) => basename(known)).join(", ")}.`);
  });
}

function manifestOf(folder: string): { scripts: object } {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as { scripts: object };
}

/** Copies of the repository with its uncommitted work, which alone are changed, and are deleted at the end. */
function createSandboxes(count: number): Disposable & { roots: Pick<Sandbox, "root" | "temporary">[] } {
  const clones = Array.from({ length: count }, () => cloneInstalled());
  const temporary = clones.map(() => mkdtempSync(join(tmpdir(), "mutate-")));
  for (const directory of temporary) chmodSync(directory, 0o755); // PostgreSQL runs as another user where this one is root.
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
    console.log(`noticed   ${folder}/${mutant.file}:${mutant.line}  ${describeMutant(mutant)}  by ${killedBy}`);
}

function scoreOf({ results }: SampleResult): number {
  const noticed = results.filter(({ killedBy }) => killedBy !== undefined).length;
  return results.length === 0 ? 0 : (100 * noticed) / results.length;
}

function summaryOf(name: string, sample: SampleResult, circumstances: string): string {
  const { results, invalid, equivalent, failing } = sample;
  const noticed = results.filter(({ killedBy }) => killedBy !== undefined).length;
  const leftOut = `${invalid} that do not compile and ${equivalent} named as equivalent left out`;
  const failed = failing.map((file) => `${name}: ${file} fails without any mutant and was left out.\n`).join("");
  return `${failed}${name}: ${noticed} of ${results.length} mutants noticed (${scoreOf(sample).toFixed(1)} %), ${leftOut}; ${circumstances}`;
}
