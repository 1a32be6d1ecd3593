/**
 * `pnpm bench tools`: the seconds that tools for a contract take from the start of the process to its end, or to the first response
 * of a mock, for the petstore and for a large contract. Node's compile cache is off, as on a new machine.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { PNPM, createProgram, wholeNumber, withProgress } from "@openapi-operations/command-line";
import { root } from "@platform/test-support/clone";
import { freePort } from "@platform/test-support/machine";
import { pathOf } from "../documents/census.ts";
import { show, spreadOf } from "../measuring/figures.ts";
import { installPeers, peerPath } from "../measuring/install.ts";
import { Load } from "../measuring/process.ts";
import { secondsInDev } from "./dev.ts";

const CONTRACT = join(root, "packages/openapi-contract/src/bin/openapi-contract.ts");
const GENERATE = join(root, "packages/fetch-operations/bin/fetch-operations.js");
const MOCK = join(root, "packages/contract-tools/src/bin/mock.ts");
const REDOCLY = join(root, "node_modules/@redocly/cli/bin/cli.js");
const HEY_API = peerPath("@hey-api/openapi-ts/bin/run.js");
const PETSTORE = join(root, "openapi/openapi.yaml");
const POLL_MS = 10;
const LONGEST_START_MS = 60_000;
/** CI, so that no tool asks or counts its users. */
const ENVIRONMENT = { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1", REDOCLY_TELEMETRY: "off", CI: "1" };

const program = createProgram("bench tools", {
  description:
    "Times the commands on a contract beside Redocly, hey-api and Prism, for the petstore and for two large contracts: by default, releases of GitHub's.",
  folder: import.meta.dirname,
  examples: [`${PNPM} bench tools ghes-3.17.json ghes-3.18.json`],
})
  .argument("[earlier]", "a large contract")
  .argument("[later]", "a later version of it")
  .option("--rounds <n>", "the number of times that each command runs", wholeNumber(1), 5);
program.parse();
const [earlier, later = earlier] = program.args;
const { rounds } = program.opts<{ rounds: number }>();

/** Two versions of a contract. */
interface Versions {
  before: string;
  after: string;
}

/** What is measured for both contracts. Each resolves with the seconds that it took. */
const TASKS: Record<string, (versions: Versions) => Promise<number>> = {
  "`contract diff`": async ({ before, after }) => run([CONTRACT, "diff", before, after]),
  "`contract lint`": async ({ after }) => run([CONTRACT, "lint", after]),
  "`redocly lint`": async ({ after }) => run([REDOCLY, "lint", "--extends", "recommended", after]),
  "`contract check`": async ({ after }) => run([CONTRACT, "check", after]),
  "client by `fetch-operations generate`": async ({ after }) =>
    run([GENERATE, "generate", "--config", configFor(after)]),
  "client by hey-api": async ({ after }) => run([HEY_API, "-i", after, "-o", join(folder, "hey-api"), "--silent"]),
  "mock, start to first response": ({ after }) => secondsToRespond(ours(after)),
  "Prism, start to first response": ({ after }) => secondsToRespond(prism(after)),
};

await installPeers();
const folder = mkdtempSync(join(tmpdir(), "bench-tools-"));
try {
  const petstore = {
    before: edited("petstore.yaml", readFileSync(PETSTORE, "utf8").replace("maximum: 100", "maximum: 90")),
    after: PETSTORE,
  };
  const [one, two] =
    earlier === undefined
      ? ["ghes-3.7.json", "ghes-3.8.json"].map(released)
      : [earlier, later!].map((file) => resolve(file));
  const large = { before: one!, after: two! };
  console.log(`Seconds, median (lowest–highest) of ${rounds}\n\n| | petstore | large contract |\n| --- | --- | --- |`);
  for (const [name, secondsOf] of Object.entries(TASKS)) {
    const cells = [await measured(name, () => secondsOf(petstore)), await measured(name, () => secondsOf(large))];
    console.log(`| ${[name, ...cells].join(" | ")} |`);
  }
  const typecheck = async () =>
    run([join(root, "node_modules/typescript/bin/tsc"), "--project", join(root, "apps/server")]);
  console.log(`| types of the server and its tests by \`tsc\` | ${await measured("tsc", typecheck)} | |`);
  const inDev = await withProgress((progress) => secondsInDev(rounds, progress));
  for (const [name, seconds] of Object.entries(inDev)) console.log(`| ${name} | ${show(spreadOf(seconds))} | |`);
  await printMocks();
} finally {
  rmSync(folder, { recursive: true });
}

async function measured(name: string, seconds: () => Promise<number>): Promise<string> {
  const times: number[] = [];
  await withProgress(async (progress) => {
    for (let round = 0; round < rounds; round++) {
      progress(`Running ${name}`, { done: round, total: rounds, unit: "times" });
      times.push(await seconds());
    }
  });
  return show(spreadOf(times));
}

/** Writes a release of GitHub's contract as GitHub publishes it, with a line for each value. */
function released(name: string): string {
  const document: unknown = JSON.parse(readFileSync(pathOf(`github.com/${name}`), "utf8"));
  return edited(name, JSON.stringify(document, null, 2));
}

function edited(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

function configFor(contract: string): string {
  return edited("config.json", JSON.stringify({ contract, output: join(folder, "client"), name: "Large" }));
}

/** Runs a program. A command ends with 1 for a contract with errors. */
function run(args: string[]): number {
  const start = performance.now();
  const options = { cwd: folder, env: ENVIRONMENT, encoding: "utf8", maxBuffer: 2 ** 28 } as const;
  const { status, stderr } = spawnSync(process.execPath, args, options);
  if (status !== 0 && status !== 1) throw new Error(`${args.join(" ")}: ${stderr}`);
  return (performance.now() - start) / 1_000;
}

/** The arguments of Node for a mock on a port. */
type Mock = (port: number) => string[];

function ours(contract: string): Mock {
  return (port) => [MOCK, contract, "--port", String(port)];
}

function prism(contract: string): Mock {
  return (port) => [peerPath("@stoplight/prism-cli/dist/index.js"), "mock", contract, "--port", String(port)];
}

/** Starts a mock. Resolves once it has responded. */
async function startMock(mock: Mock): Promise<{ port: number; child: ChildProcess }> {
  const port = await freePort();
  const child = spawn(process.execPath, mock(port), { cwd: folder, env: ENVIRONMENT, stdio: "ignore" });
  process.once("exit", () => child.kill("SIGKILL"));
  const deadline = performance.now() + LONGEST_START_MS;
  while (!(await responds(port))) {
    if (child.exitCode !== null || performance.now() > deadline)
      throw new Error(`${mock(port).join(" ")} did not respond.`);
    await setTimeout(POLL_MS); // a mock starts more slowly beside a loop that takes a core
  }
  return { port, child };
}

async function responds(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
  await response?.bytes();
  return response !== undefined;
}

async function secondsToRespond(mock: Mock): Promise<number> {
  const started = performance.now();
  const { child } = await startMock(mock);
  const seconds = (performance.now() - started) / 1_000;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  return seconds;
}

/** Prints how many lists of animals each mock returns per second. */
async function printMocks(): Promise<void> {
  using load = new Load();
  const mocks = { "our mock": [ours(PETSTORE), "/v1/pets"], Prism: [prism(PETSTORE), "/pets"] } as const;
  for (const [name, [mock, path]] of Object.entries(mocks)) {
    const { port, child } = await startMock(mock);
    const text = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer key\r\n\r\n`;
    const perSecond: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const slice = { port, requests: [{ text, status: 200 }], connections: 16, milliseconds: 1_000, runIn: 1_000 };
      const { answered, seconds } = await load.run(slice);
      perSecond.push(answered / seconds);
    }
    console.log(`Lists of animals per second by ${name}: ${show(spreadOf(perSecond), 0)}`);
    child.kill("SIGKILL");
  }
}
