import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import createOpenapiClient from "openapi-fetch";
import { generatedFiles } from "../src/generate/generated-files.ts";
import { writeFiles } from "../src/generate/output.ts";

/**
 * Compares the CPU time of one call with openapi-fetch's: with a stubbed `fetch`, and over the network. The server is a process
 * of its own. Rounds take turns, and each ratio is of one round.
 */
const ROUNDS = 11;
const CALLS = { stub: 10_000, network: 3_000 };

const document = {
  openapi: "3.1.1",
  info: { title: "T", version: "1" },
  paths: {
    "/books/{id}": {
      get: {
        operationId: "getBook",
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "integer" } },
          { name: "q", in: "query", schema: { type: "string" } },
        ],
        responses: { 200: { description: "", content: { "application/json": { schema: { type: "object" } } } } },
      },
    },
  },
};
const folder = join(import.meta.dirname, "../.turbo/bench");
mkdirSync(folder, { recursive: true });
const contract = { document: document as never, placeOf: () => "" };
await writeFiles(
  await generatedFiles(contract, { contract: "", output: folder, name: "Bench", importExtension: ".ts" }),
  folder,
);
type Client = { getBook: (input: object) => { orThrow: () => Promise<unknown> } };
const { createBench } = (await import(pathToFileURL(join(folder, "index.ts")).href)) as {
  createBench: (options: object) => Client;
};

const server = fork(join(import.meta.dirname, "server.ts"));
const [port] = (await once(server, "message")) as [number];
const baseUrl = `http://127.0.0.1:${port}`;
const body = '{"id":1,"title":"Emma","author":"Jane Austen"}';
const stub = async () => new Response(body, { headers: { "Content-Type": "application/json" } });

for (const [kind, calls] of Object.entries(CALLS)) {
  const fetch = kind === "stub" ? stub : undefined;
  const own = createBench({ baseUrl, fetch });
  const theirs = createOpenapiClient<never>({ baseUrl, ...(fetch && { fetch }) }) as unknown as {
    GET: (path: string, init: object) => Promise<unknown>;
  };
  const contenders = {
    own: () => own.getBook({ id: 1, q: "a b" }).orThrow(),
    "openapi-fetch": () => theirs.GET("/books/{id}", { params: { path: { id: 1 }, query: { q: "a b" } } }),
  };
  const ratios: number[] = [];
  const times: number[] = [];
  for (let round = -1; round < ROUNDS; round++) {
    const ownTime = await cpuTime(contenders.own, calls);
    const theirTime = await cpuTime(contenders["openapi-fetch"], calls);
    if (round < 0) continue; // warms up
    ratios.push(ownTime / theirTime);
    times.push(ownTime);
  }
  const sorted = ratios.toSorted((one, other) => one - other);
  const [median, low, high] = [sorted[ROUNDS >> 1]!, sorted[0]!, sorted.at(-1)!].map((ratio) => ratio.toFixed(2));
  const microseconds = times.toSorted((one, other) => one - other)[ROUNDS >> 1]!.toFixed(1);
  console.log(`${kind}: ${microseconds} µs of CPU time for a call, ${median} (${low}–${high}) of openapi-fetch's`);
}
server.kill();
rmSync(folder, { recursive: true });

/** Returns the CPU time of one call, in microseconds. Ten calls run at a time. */
async function cpuTime(call: () => Promise<unknown>, count: number): Promise<number> {
  const start = process.cpuUsage();
  const work = async () => {
    for (let index = 0; index < count / 10; index++) await call();
  };
  await Promise.all(Array.from({ length: 10 }, work));
  const { user, system } = process.cpuUsage(start);
  return (user + system) / count;
}
