/**
 * `pnpm mutate`: mutation testing of packages with Stryker. Stryker changes a copy of the repository, and prints the mutants
 * that survive the tests.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { PNPM, createProgram, runProgram, wholeNumber } from "@openapi-operations/command-line";
import { cloneInstalled, root } from "@platform/test-support/clone";
import { installPeers, peerPath } from "../measuring/install.ts";

const program = createProgram("mutate", {
  description:
    "Mutation testing: changes the code of packages, one place at a time in a copy, and prints the mutants that survive the tests.",
  folder: import.meta.dirname,
  examples: [`${PNPM} mutate --package storage --lines 20`, `${PNPM} mutate --package storage --at src/url.ts:12`],
})
  .option("--package <name...>", "folder names of packages (default: all packages with tests)")
  .option("--lines <n>", "the number of lines of each package that are changed", wholeNumber(1), 200)
  .option("--seed <n>", "the seed of the sample; the same seed and code give the same lines", wholeNumber(), 1)
  .option("--at <place...>", "all mutants of these files or lines, such as src/json.ts:12")
  .option("--floor <percent>", "fail if fewer mutants of a package are killed", wholeNumber(), 0)
  .option("--jobs <n>", "the number of parallel test runs", wholeNumber(1), availableParallelism())
  .action(mutate);

await runProgram(program);

interface Options {
  package?: string[];
  lines: number;
  seed: number;
  at?: string[];
  floor: number;
  jobs: number;
}

async function mutate({ package: names, ...options }: Options): Promise<void> {
  const folders = chosenFolders(names);
  await installPeers();
  const clone = cloneInstalled();
  const temporary = mkdtempSync(join(tmpdir(), "mutate-"));
  chmodSync(temporary, 0o755); // for PostgreSQL, which runs as another user if this one is root
  let group: number | undefined;
  const dispose = (): void => {
    if (group !== undefined) process.kill(-group, "SIGKILL");
    clone[Symbol.dispose]();
    rmSync(temporary, { recursive: true, force: true });
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => {
      dispose();
      process.exit(130);
    });
  for (const folder of folders) {
    const cwd = join(clone.directory, folder);
    writeFileSync(join(cwd, "stryker.config.json"), JSON.stringify(configOf(cwd, options)));
    console.log(`${basename(folder)}, seed ${options.seed}`);
    const env = { ...process.env, TMPDIR: temporary };
    const stryker = peerPath("@stryker-mutator/core/bin/stryker.js");
    const run = spawn(process.execPath, [stryker, "run"], { cwd, env, stdio: "inherit", detached: true });
    group = run.pid;
    const [code] = (await once(run, "exit")) as [number | null];
    group = undefined;
    if (code !== 0) process.exitCode = 1;
  }
  dispose();
}

/** Returns the folders of the selected packages. */
function chosenFolders(names: string[] | undefined): string[] {
  const tests = globSync("{apps,packages}/*/test", { cwd: root });
  const withTests = tests.map((test) => dirname(test).replaceAll("\\", "/"));
  const folders = withTests.filter((folder) => existsSync(join(root, folder, "src"))).toSorted();
  if (names === undefined) return folders;
  const known = folders.map((folder) => basename(folder));
  return names.map(
    (name) =>
      folders[known.indexOf(name)] ??
      program.error(`error: There is no package ${name} with tests. Set --package to one of ${known.join(", ")}.`),
  );
}

/** Returns the settings of Stryker for the package at `cwd`. */
function configOf(cwd: string, { floor, jobs, ...options }: Options): object {
  return {
    inPlace: true,
    mutate: placesIn(cwd, options),
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner"],
    vitest: {
      configFile: join(cwd, "../../packages/laboratory/mutation/vitest.config.ts"),
      dir: "test",
      related: false,
    },
    concurrency: jobs,
    thresholds: { high: 100, low: floor, break: floor },
    reporters: ["clear-text"],
    clearTextReporter: { allowColor: false, reportTests: false },
    allowConsoleColors: false,
  };
}

/**
 * Returns the places of the options, or a sample of lines. An edit changes the sample only at the lines that it touches, so that it
 * cannot fail for others. Mutants of several lines are only at a place that has them.
 */
function placesIn(cwd: string, { at, lines, seed }: Pick<Options, "at" | "lines" | "seed">): string[] {
  if (at !== undefined) return at.map((place) => place.replace(/:(\d+)$/, ":$1-$1"));
  const files = globSync("src/**/*.ts", { cwd, exclude: ["**/generated/**"] }).map((file) =>
    file.replaceAll("\\", "/"),
  );
  const code = files.flatMap((file) =>
    readFileSync(join(cwd, file), "utf8")
      .split("\n")
      .flatMap((line, index) => {
        const rank = createHash("sha256").update(`${seed} ${file} ${line.trim()}`).digest("hex");
        return /^\s*(?!import\b|\/|\*|\})\S/.test(line) ? [{ rank, place: `${file}:${index + 1}-${index + 1}` }] : [];
      }),
  );
  const sorted = code.toSorted((one, other) => (one.rank < other.rank ? -1 : 1));
  return sorted.slice(0, lines).map(({ place }) => place);
}
