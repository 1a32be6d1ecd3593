import { Process } from "../measuring/process.ts";
import { operationsOf } from "openapi-document";
import { documentNamed } from "./documents.ts";

const SERVER = new URL("server.ts", import.meta.url);

/** Seconds from starting a process that serves GitHub's document to its first response, for each of several starts. */
export async function startTimes(times: number): Promise<number[]> {
  const seconds: number[] = [];
  for (let time = 0; time < times; time++) {
    const started = performance.now();
    using server = new Process(undefined, SERVER, ["ours", "github"]);
    const response = await fetch(`http://127.0.0.1:${await server.next<number>()}/users/octocat/keys`);
    await response.text();
    if (response.status !== 200) throw new Error(`The first response was ${response.status}.`);
    seconds.push((performance.now() - started) / 1000);
  }
  return seconds;
}

/** Megabytes of heap in use with GitHub's document, after requests to each of so many of its operations. */
export async function heapAfter(counts: number[]): Promise<Map<number, number>> {
  using server = new Process(0, SERVER, ["ours", "github"]);
  const port = await server.next<number>();
  const paths = operationsOf(documentNamed("github"))
    .filter(({ method }) => method === "get")
    .map(({ path }) => path.replaceAll(/\{[^}]+\}/g, "1"));
  const heap = new Map<number, number>();
  let used = 0;
  for (const count of counts) {
    for (; used < count; used++) await (await fetch(`http://127.0.0.1:${port}${paths[used]}`)).text();
    heap.set(count, await server.ask<number>("heap in MB"));
  }
  return heap;
}
