import { withProgress } from "@platform/command-line";
import { Process } from "../../measuring/process.ts";
import { type ContenderName, CONTENDERS } from "./contenders.ts";
import { documentNames, sizeOf } from "../../documents/directory.ts";
import type { Start } from "./largest-server.ts";

/** A document, and the starts of each library with it. */
export interface LargestDocument {
  name: string;
  megabytes: number;
  starts: Record<ContenderName, Start[]>;
}

/** Starts each library with each of the largest documents of the census. A library that fails is not started again. */
export async function measureLargest(count: number, rounds: number): Promise<LargestDocument[]> {
  const largest = documentNames()
    .map((name) => ({ name, bytes: sizeOf(name) }))
    .toSorted((one, other) => other.bytes - one.bytes);
  const documents = largest.slice(0, count).map(({ name, bytes }): LargestDocument => {
    const starts = Object.fromEntries(Object.keys(CONTENDERS).map((contender) => [contender, [] as Start[]]));
    return { name, megabytes: bytes / 1e6, starts: starts as LargestDocument["starts"] };
  });
  await withProgress(async (report) => {
    const total = rounds * documents.length;
    for (let turn = 0; turn < total; turn++) {
      report("Starting with the largest documents", { done: turn, total, unit: "turns" });
      const { name, starts } = documents[turn % documents.length]!;
      for (const [contender, results] of Object.entries(starts)) {
        if (!results.some((result) => "failure" in result)) results.push(await startOf(contender, name));
      }
    }
  });
  return documents;
}

async function startOf(contender: string, name: string): Promise<Start> {
  using server = new Process(0, new URL("largest-server.ts", import.meta.url), [contender, name]);
  return await server.next<Start>().catch(() => ({ failure: "no response within a minute" }));
}
