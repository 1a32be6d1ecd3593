/**
 * `pnpm bench contract`: the seconds that the commands on a contract take from the start of the process to its end, for the petstore
 * and for a large contract. Node's compile cache is off, as on a new machine.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { PNPM, createProgram, wholeNumber, withProgress } from "@openapi-operations/command-line";
import { root } from "@platform/test-support/clone";
import { pathOf } from "../documents/census.ts";
import { show, spreadOf } from "../measuring/figures.ts";
import { installPeers } from "../measuring/install.ts";

const PROGRAM = join(root, "packages/openapi-contract/src/bin/openapi-contract.ts");
const PETSTORE = join(root, "openapi/openapi.yaml");

const program = createProgram("bench contract", {
  description:
    "Times `diff`, `lint` and `check` for the petstore and for two large contracts: by default, releases of GitHub's.",
  folder: import.meta.dirname,
  examples: [`${PNPM} bench contract ghes-3.17.json ghes-3.18.json`],
})
  .argument("[earlier]", "a large contract")
  .argument("[later]", "a later version of it")
  .option("--rounds <n>", "the number of times that each command runs", wholeNumber(1), 5);
program.parse();
const [earlier, later = earlier] = program.args;
const { rounds } = program.opts<{ rounds: number }>();

const folder = mkdtempSync(join(tmpdir(), "bench-contract-"));
try {
  const petstore = edited("petstore.yaml", readFileSync(PETSTORE, "utf8").replace("maximum: 100", "maximum: 90"));
  const large = earlier === undefined ? await released() : [earlier, later!].map((file) => resolve(file));
  console.log(`Seconds, median (lowest–highest) of ${rounds}\n`);
  console.log("| | `diff` | `lint` | `check` |\n| --- | --- | --- | --- |");
  await printRow("petstore, at most 1", petstore, PETSTORE);
  await printRow("large contract, at most 3", large[0]!, large[1]!);
} finally {
  rmSync(folder, { recursive: true });
}

/** Writes two releases of GitHub's contract as GitHub publishes them, with a line for each value. */
async function released(): Promise<string[]> {
  await installPeers();
  return ["ghes-3.7.json", "ghes-3.8.json"].map((name) => {
    const document: unknown = JSON.parse(readFileSync(pathOf(`github.com/${name}`), "utf8"));
    return edited(name, JSON.stringify(document, null, 2));
  });
}

function edited(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

async function printRow(name: string, before: string, after: string): Promise<void> {
  const commands = [
    ["diff", before, after],
    ["lint", after],
    ["check", after],
  ];
  const cells = await withProgress((progress) =>
    commands.map((args) => {
      const times = Array.from({ length: rounds }, (_, round) => {
        progress(`Running ${args[0]}`, { done: round, total: rounds, unit: "times" });
        return secondsOf(args);
      });
      return show(spreadOf(times));
    }),
  );
  console.log(`| ${[name, ...cells].join(" | ")} |`);
}

/** A command ends with 1 for a contract with errors. */
function secondsOf(args: string[]): number {
  const start = performance.now();
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" };
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    env,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (status !== 0 && status !== 1) throw new Error(stderr);
  return (performance.now() - start) / 1_000;
}
