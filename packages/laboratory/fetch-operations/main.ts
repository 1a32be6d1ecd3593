import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { ratioOf, show, spreadOf } from "../measuring/figures.ts";
import { installPeers } from "../measuring/install.ts";
import { createProgram, wholeNumber, withProgress } from "@openapi-operations/command-line";
import { type Call, type Client, CLIENTS } from "./clients.ts";
import { linesOf, prepare } from "./prepare.ts";
import { rolldown } from "rolldown";

/**
 * Compares clients as their users install them: the CPU time of one call with a stubbed `fetch` and over the network, the size
 * of a bundle with one call, the time of the import, and the lines of generated code. The server is a process of its own. In each round, the clients take
 * turns, and each ratio is of one round.
 */
const program = createProgram("bench fetch-operations", {
  description: "Compares clients: CPU time of a call, size of a bundle, time of the import, generated lines.",
  folder: import.meta.dirname,
}).option("--rounds <n>", "the number of rounds", wholeNumber(1), 11);
const { rounds: ROUNDS } = program.parse().opts<{ rounds: number }>();
const CALLS = { stub: 5_000, network: 1_500 };
const PROCESSES = 11;
const BASE = "openapi-fetch";
const body = '{"id":1,"title":"Emma","author":"Jane Austen"}';

await installPeers();
const folder = join(import.meta.dirname, ".turbo/bench");
await withProgress((report) => {
  report("Preparing the clients");
  return prepare(folder);
});
const server = fork(join(import.meta.dirname, "server.ts"));
const [port] = (await once(server, "message")) as [number];
const baseUrl = `http://127.0.0.1:${port}`;
const stub = async () => new Response(body, { headers: { "Content-Type": "application/json" } });

const stubbed = await measure("stub", stub);
const networked = await measure("network");
server.kill();

console.log(`Medians of ${ROUNDS} rounds (lowest–highest); CPU time of one call, to that of ${BASE}\n`);
console.log(
  "| client | stubbed `fetch` | over the network | one call, minified and compressed | import | generated lines |",
);
console.log("| --- | --- | --- | --- | --- | --- |");
for (const [name, client] of Object.entries(CLIENTS)) {
  const cpu = [stubbed, networked].map((times) => {
    const microseconds = spreadOf(times[name]!).median.toFixed(1);
    return `${microseconds} µs: ${show(ratioOf(times[name]!, times[BASE]!))}`;
  });
  const [bytes, imports] = await withProgress(async (report) => {
    report(`Importing ${name}`);
    return [await sizeOf(client.oneCall, join(folder, "one-call.js")), importTime(join(folder, client.module))];
  });
  const size = `${(bytes / 1_000).toFixed(2)} kB`;
  const lines = client.generated === undefined ? "–" : linesOf(folder, client.generated);
  console.log(`| ${[name, ...cpu, size, `${show(spreadOf(imports), 1)} ms`, lines].join(" | ")} |`);
}
rmSync(folder, { recursive: true });

/** Returns the CPU times of a call in microseconds, for each client and round. */
async function measure(kind: keyof typeof CALLS, fetch?: typeof stub): Promise<Record<string, number[]>> {
  const times: Record<string, number[]> = {};
  const calls: [string, Call][] = [];
  for (const [name, client] of Object.entries<Client>(CLIENTS))
    calls.push([name, await client.connect(folder, baseUrl, fetch)]);
  await withProgress(async (report) => {
    for (let round = -1; round < ROUNDS; round++) {
      report(`Measuring calls, ${kind}`, { done: round + 1, total: ROUNDS + 1, unit: "rounds" });
      for (const [name, call] of calls) {
        const time = await cpuTime(call, CALLS[kind]);
        if (round >= 0) (times[name] ??= []).push(time); // the round before warms up
      }
    }
  });
  return times;
}

/** Returns the CPU time of one call, in microseconds. Ten calls run at a time. */
async function cpuTime(call: Call, count: number): Promise<number> {
  const start = process.cpuUsage();
  const work = async () => {
    for (let index = 0; index < count / 10; index++) await call();
  };
  await Promise.all(Array.from({ length: 10 }, work));
  const { user, system } = process.cpuUsage(start);
  return (user + system) / count;
}

/** Returns the bytes of a bundle of a module for browsers, minified and compressed by gzip. `file` is where the module is written. */
async function sizeOf(code: string, file: string): Promise<number> {
  writeFileSync(file, code);
  const bundle = await rolldown({ input: file, platform: "browser", logLevel: "silent" });
  const { output } = await bundle.generate({ minify: true, format: "esm" });
  return output.reduce((sum, part) => sum + ("code" in part ? gzipSync(part.code, { level: 9 }).length : 0), 0);
}

/** Returns the milliseconds that new processes took to import a module, without the start of Node. */
function importTime(file: string): number[] {
  const url = JSON.stringify(pathToFileURL(file).href);
  const code = `const start = performance.now(); await import(${url}); console.log(performance.now() - start);`;
  const milliseconds = () => Number(execFileSync(process.execPath, ["--input-type=module", "--eval", code]));
  milliseconds(); // reads the files once, so that they are cached
  return Array.from({ length: PROCESSES }, milliseconds);
}
