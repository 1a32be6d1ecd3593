import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { withProgress } from "@platform/command-line";
import { spreadOf } from "../../measuring/figures.ts";
import { pathOf } from "../../documents/directory.ts";
import { sizeOf } from "../import-cost.ts";
import type { DocumentResult } from "./worker.ts";

type Compile = (clients: { name: string; folder: string }[], isExact: boolean) => Promise<Map<string, string>>;

/** A generator: its arguments, and a module that exports one call. */
interface Generator {
  args: (input: string, output: string) => string[];
  oneCall: (folder: string) => string | undefined;
}

const bin = (name: string) => join(import.meta.dirname, "../node_modules/.bin", name);

const GENERATORS: Record<string, Generator> = {
  "fetch-operations": {
    args: (input, output) => {
      const config = `${output}.json`;
      writeFileSync(config, JSON.stringify({ contract: input, output, name: "Census", importExtension: ".ts" }));
      return [
        process.execPath,
        join(import.meta.dirname, "../../../fetch-operations/bin/fetch-operations.js"),
        "generate",
        "--config",
        config,
      ];
    },
    oneCall: (folder) => {
      const name = firstExport(join(folder, "operations.ts"));
      return (
        name &&
        `export { call, connectWith } from "fetch-operations"; export { api } from "${folder}/api.ts"; export { ${name} } from "${folder}/operations.ts";`
      );
    },
  },
  "hey-api": {
    args: (input, output) => [bin("openapi-ts"), "-i", input, "-o", output, "-c", "@hey-api/client-fetch"],
    oneCall: (folder) => {
      const name = firstExport(join(folder, "sdk.gen.ts"));
      return (
        name && `export { ${name} } from "${folder}/sdk.gen.ts"; export { client } from "${folder}/client.gen.ts";`
      );
    },
  },
  orval: {
    args: (input, output) => [
      bin("orval"),
      "--input",
      input,
      "--output",
      join(output, "orval.ts"),
      "--client",
      "fetch",
    ],
    oneCall: (folder) => {
      const file = join(folder, readdirSync(folder)[0] ?? "");
      const text = readFileSync(file, "utf8");
      const name = /^export const (\w+) = async/m.exec(text)?.[1];
      return name && `export { ${name} } from "${file}";`;
    },
  },
};

/** Generates the documents with each generator, compiles the clients, and prints the medians. */
export async function comparePeers(documents: DocumentResult[], root: string, compile: Compile): Promise<void> {
  console.log(
    `\npeers, ${documents.length} documents: generated; compiled without errors; median seconds to generate; seconds to compile all; median size of one call, minified and compressed`,
  );
  for (const [peer, { args, oneCall }] of Object.entries(GENERATORS)) {
    const made: { name: string; folder: string }[] = [];
    const times: number[] = [];
    const sizes: number[] = [];
    await withProgress(async (report) => {
      for (const [index, { name }] of documents.entries()) {
        report(`Generating with ${peer}`, { done: index, total: documents.length, unit: "documents" });
        const folder = join(root, `${peer}-${index}`);
        mkdirSync(folder, { recursive: true });
        const start = performance.now();
        if (!(await run(args(pathOf(name), folder), root))) continue;
        times.push((performance.now() - start) / 1_000);
        made.push({ name, folder });
        const code = oneCall(folder);
        if (code !== undefined)
          sizes.push(
            ...(await sizeOf(code, `${folder}.mjs`).then(
              (size) => [size],
              () => [],
            )),
          );
      }
    });
    const start = performance.now();
    const failures = await compile(made, false); // with settings that all generators support
    const compiling = ((performance.now() - start) / 1_000).toFixed(1);
    console.log(
      `  ${peer}: ${made.length}; ${made.length - failures.size}; ${spreadOf(times).median.toFixed(2)} s; ${compiling} s; ${Math.round(spreadOf(sizes).median)} B`,
    );
    for (const [name, error] of [...failures].slice(0, 5)) console.log(`    ${name}: ${error}`);
  }
}

function firstExport(file: string): string | undefined {
  return /^export const (\w+)/m.exec(readFileSync(file, "utf8"))?.[1];
}

function run([program = "", ...args]: string[], cwd: string): Promise<boolean> {
  const options = { cwd, timeout: 120_000, maxBuffer: Infinity };
  return promisify(execFile)(program, args, options).then(
    () => true,
    () => false,
  );
}
