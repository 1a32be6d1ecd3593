import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startCompiler } from "./compiler.ts";
import { isEquivalent, type Equivalent } from "./equivalents.ts";
import { mutantsOf, applyMutant, type Mutant } from "./mutants.ts";
import { measureReach, type Reach } from "./reach.ts";
import { sampleOf } from "../measuring/sample.ts";
import { runTests, type TestFile, type Sandbox } from "./test-runs.ts";
import { distribute } from "./distribute.ts";

/** The options of a sample of mutants. */
export interface SampleOptions {
  count: number;
  seed: number;
  /** Only mutants of these files or lines, such as `src/json.ts:12`; empty for all. */
  at: string[];
}

/** The result for one mutant: the test or the event that killed it, or undefined if it survived. */
export interface MutantResult {
  mutant: Mutant;
  killedBy: string | undefined;
}

/** The results for a sample of a package's mutants. */
export interface SampleResult {
  results: MutantResult[];
  /** How many mutants do not compile, and how many are listed as equivalent; `results` has neither. */
  invalid: number;
  equivalent: number;
  /** Test files left out because they fail without a mutant. */
  failing: string[];
}

/** Runs a package's tests on a sample of its mutants. */
export async function mutatePackage(
  sandboxes: [Sandbox, ...Sandbox[]],
  options: SampleOptions,
  equivalents: Equivalent[],
  report: (result: MutantResult) => void,
): Promise<SampleResult> {
  const [{ root, folder }] = sandboxes;
  const directory = join(root, folder);
  const sources = sourcesOf(directory);
  const all = [...sources].flatMap(([file, source]) => mutantsOf(source, file));
  const selected = sampleOf(all, all.length, options.seed).filter(({ file, line }) =>
    isSelected(options.at, file, line),
  );
  const isKnown = (mutant: Mutant): boolean => isEquivalent(mutant, sources.get(mutant.file)!, equivalents);
  const candidates = selected.filter((mutant) => !isKnown(mutant));
  const { valid, checked } = takeValid(directory, candidates, sources, options.count);
  const sampled = valid.length < options.count ? selected : selected.slice(0, selected.indexOf(valid.at(-1)!));

  const files = await testFiles(sandboxes[0]);
  const mutatedFiles = new Set(valid.map(({ file }) => file));
  console.error(
    `${folder}: ${valid.length} of ${all.length} mutants. First, ${files.length} test files run without a mutant.`,
  );
  const reached = await measureReach(
    sandboxes,
    files,
    new Map([...sources].filter(([file]) => mutatedFiles.has(file))),
  );
  const failing = await confirmFailing(sandboxes[0], reached);
  const reaches = reached.filter(({ name }) => !failing.includes(name));
  const kills: Kills = new Map();
  const results = await distribute(sandboxes, valid, async (sandbox, mutant) => {
    const result = { mutant, killedBy: await killerOf(sandbox, mutant, sources.get(mutant.file)!, reaches, kills) };
    report(result);
    return result;
  });
  await expectToPass(sandboxes, reaches);
  return { results, invalid: checked - valid.length, equivalent: sampled.filter(isKnown).length, failing };
}

/** Returns the source files of the package, except generated ones. */
function sourcesOf(cwd: string): Map<string, string> {
  const files = globSync("src/**/*.ts", {
    cwd,
    exclude: ["**/generated/**"],
  });
  return new Map(files.toSorted().map((file) => [file, readFileSync(join(cwd, file), "utf8")]));
}

function isSelected(at: string[], file: string, line: number): boolean {
  return at.length === 0 || at.includes(file) || at.includes(`${file}:${line}`);
}

/** Returns the first `count` mutants that compile, and how many were checked. */
function takeValid(
  directory: string,
  mutants: Mutant[],
  sources: Map<string, string>,
  count: number,
): { valid: Mutant[]; checked: number } {
  using compiler = startCompiler(directory);
  const valid: Mutant[] = [];
  let checked = 0;
  for (const mutant of mutants) {
    if (valid.length === count) break;
    checked++;
    if (compiler.accepts(mutant, sources.get(mutant.file)!)) valid.push(mutant);
  }
  return { valid, checked };
}

async function testFiles(sandbox: Sandbox): Promise<TestFile[]> {
  const known = await runTests(sandbox, { stopAtFailure: false });
  if (typeof known === "string") throw new Error(`The tests of ${sandbox.folder} cannot be listed: ${known}.`);
  return known.files;
}

/** Returns the test files that fail on the original code: those that failed with recorders run again without them. */
async function confirmFailing(sandbox: Sandbox, reaches: Reach[]): Promise<string[]> {
  const files = reaches.filter(({ hasPassed }) => !hasPassed).map(({ name }) => ({ name }));
  if (files.length === 0) return [];
  const result = await runTests(sandbox, { files, stopAtFailure: false });
  if (typeof result === "string") throw new Error(`The tests of ${sandbox.folder} cannot be run: ${result}.`);
  return result.files.filter(({ failure }) => failure !== undefined).map(({ name }) => name);
}

/** How many mutants of a source file each test file has killed, by `keyOfKill`. */
type Kills = Map<string, number>;

const keyOfKill = ({ file }: Mutant, testFile: string): string => `${file} ${testFile}`;

/**
 * Runs the test files that reach a mutant, and returns what killed it. Test files that killed more mutants of the same
 * source file run first, then the quickest. All test files run if none is known to reach the mutant.
 */
async function killerOf(
  sandbox: Sandbox,
  mutant: Mutant,
  source: string,
  reaches: Reach[],
  kills: Kills,
): Promise<string | undefined> {
  const point = `${mutant.file}:${mutant.point}`;
  const reaching = reaches.filter(({ points }) => points.has(point));
  const killsOf = ({ name }: Reach): number => kills.get(keyOfKill(mutant, name)) ?? 0;
  const files = (reaching.length > 0 ? reaching : reaches).toSorted((a, b) => killsOf(b) - killsOf(a));
  const limits = files.map(({ milliseconds }) => 20_000 + 4 * milliseconds);
  const result = await withMutant(sandbox, mutant, source, () =>
    runTests(sandbox, { files: files.map(({ name }) => ({ name })), stopAtFailure: true }, { limits }),
  );
  if (typeof result === "string") return result;
  const failed = result.files.find(({ failure }) => failure !== undefined);
  if (failed === undefined) return result.unhandled[0];
  const key = keyOfKill(mutant, failed.name);
  kills.set(key, (kills.get(key) ?? 0) + 1);
  return `${failed.name}: ${failed.failure}`;
}

/** Rejects if the quickest tests now fail without a mutant, because then no result is reliable. */
async function expectToPass(sandboxes: Sandbox[], [quickest]: Reach[]): Promise<void> {
  if (quickest === undefined) return;
  for (const sandbox of sandboxes) {
    const result = await runTests(sandbox, { files: [{ name: quickest.name }], stopAtFailure: true });
    if (typeof result !== "string" && result.files.every(({ failure }) => failure === undefined)) continue;
    throw new Error(
      `${quickest.name} of ${sandbox.folder} now fails without a mutant, so the results are not reliable. Run \`mutate\` again.`,
    );
  }
}

async function withMutant<Result>(
  { root, folder }: Sandbox,
  mutant: Mutant,
  source: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const path = join(root, folder, mutant.file);
  writeFileSync(path, applyMutant(source, mutant));
  try {
    return await work();
  } finally {
    writeFileSync(path, source);
  }
}
