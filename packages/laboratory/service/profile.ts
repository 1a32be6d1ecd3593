import { type Runtime, Session } from "node:inspector/promises";
import { root } from "@platform/test-support/clone";

/**
 * What code does for a request, by the path of its module below the repository or `node_modules`: the first part that fits. Modules
 * that fit none, such as `node:crypto`, count for their caller.
 */
const PARTS: Record<string, RegExp> = {
  "Node's HTTP, sockets, timers":
    /^node:(_http|net$|events$|timers$|internal\/(async|fixed|http|linked|priority|process|stream|timers))/,
  "database: SQLite, Kysely, groups":
    /^(better-sqlite3|kysely)\/|^packages\/storage\/|repository\.ts$|group-inserts\.ts$/,
  log: /^pino\/|\/observability\//,
  "headers, request ids, stages": /^packages\/service\/src\/http\//,
  authentication: /^packages\/api-keys\/src\/(?!idempotent|own-writes)|\/security\//,
  validation: /\/(request|eov|validation)\/|^(express-openapi-validator|ajv)\/|^packages\/openapi-document\//,
  errors: /\/declared-errors\/|\/problems?\.ts$|\/errors\.ts$/,
  "routing: Express or Fastify": /^(express|router|path-to-regexp|parseurl|debug|finalhandler|fastify|find-my-way)\//,
  "operations: handlers, responses": /^(apps|packages)\/|^fast-json-stringify\//,
};
const COLLECTION = "garbage collection";
const LOOP = "the event loop, from C++";
/** What is not the work of a request: waiting, and the profiler itself. */
const LEFT_OUT = "left out";

const session = new Session();

/** Starts to profile the CPU time of this process. */
export async function startProfile(): Promise<void> {
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 200 });
  await session.post("Profiler.start");
}

/** Returns the microseconds that each part used since the start. */
export async function endProfile(): Promise<Record<string, number>> {
  const { nodes, samples = [], timeDeltas = [] } = (await session.post("Profiler.stop")).profile;
  session.disconnect();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parts = new Map<number, string>();
  const enter = (id: number, caller: string): void => {
    const { callFrame, children = [] } = byId.get(id)!;
    const part = partOf(callFrame) ?? caller;
    parts.set(id, part);
    for (const child of children) enter(child, part);
  };
  enter(nodes[0]!.id, LOOP);
  const sums = Object.fromEntries([LOOP, COLLECTION, ...Object.keys(PARTS)].map((part) => [part, 0]));
  for (const [at, id] of samples.entries()) {
    const part = parts.get(id)!;
    if (part !== LEFT_OUT) sums[part]! += timeDeltas[at]!;
  }
  return sums;
}

function partOf({ functionName, url }: Runtime.CallFrame): string | undefined {
  if (functionName === "(idle)" || url === "node:inspector") return LEFT_OUT;
  if (functionName === "(garbage collector)") return COLLECTION;
  const path = decodeURI(url)
    .replace(`file://${root}/`, "")
    .replace(/^.*\/node_modules\//, "");
  return Object.keys(PARTS).find((part) => PARTS[part]!.test(path));
}
