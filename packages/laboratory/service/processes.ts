import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { withProgress } from "@openapi-operations/command-line";
import { ratioOf, show, spreadOf } from "../measuring/figures.ts";
import type { Slice } from "../measuring/load.ts";
import { inTurns } from "../measuring/process.ts";
import { build } from "@openapi-operations/contract-tools/build";
import { encodeCursor } from "@openapi-operations/service/page";
import { type Bench, SERVER } from "./rounds.ts";
import { requestsOf, type Work, WORKS } from "./works.ts";

/** The folder of the built program. */
export const DIST = join(SERVER, "dist");

/** More pages than the cache holds, so that no request finds its page cached. */
const PAGES = Array.from({ length: 9_900 }, (_, id): Work => {
  return { method: "GET", path: `/v1/pets?limit=100&cursor=${encodeCursor(id)}`, status: 200 };
});

/**
 * Compares the program with two processes and with one, by the clock. The processes use all cores, and the load one of them. On a
 * machine with two cores, the load takes much of the second process's share; the cheaper a request, the more.
 */
export async function twoProcesses({ load, databases, effort }: Bench): Promise<void> {
  await withProgress((report) => {
    report("Building the service");
    return build(SERVER, DIST);
  });
  await using one = await startProgram(1, await databases.copy());
  await using two = await startProgram(2, await databases.copy());
  const ports = [one.port, two.port];
  const kinds: Record<string, Work[]> = {
    "list 20": [WORKS["list 20"]],
    "list 100, another page each time": PAGES,
    "durable creations": [WORKS.create],
  };
  for (const connections of [effort.connections, effort.connections * 8]) {
    const rows: Record<string, Record<string, string>> = {};
    for (const [name, works] of Object.entries(kinds)) {
      const requests = requestsOf(works, databases.key);
      const [first, second] = await ratesOf(load, ports, requests, { ...effort, connections });
      rows[name] = {
        "one: requests/s": show(spreadOf(first!), 0),
        "two: requests/s": show(spreadOf(second!), 0),
        "two to one": show(ratioOf(second!, first!)),
      };
    }
    console.log(`\nWEB_CONCURRENCY=2 to 1, ${connections} connections`);
    console.table(rows);
  }
}

/** Returns requests per second of each port by round, after a warm-up round with as many requests for each process. */
export async function ratesOf(
  load: Bench["load"],
  ports: number[],
  requests: Slice["requests"],
  { rounds, milliseconds, connections, warmUp }: Bench["effort"],
): Promise<number[][]> {
  const rates = ports.map((): number[] => []);
  await inTurns("Measuring", rounds, [...ports.entries()], async ([at, port], isCounted) => {
    const slice: Slice = { port, requests, connections, milliseconds, runIn: milliseconds };
    const warmingUp = { ...warmUp, runIn: 0, maxRequests: warmUp.maxRequests * (at + 1) };
    const { answered, seconds } = await load.run({ ...slice, ...(!isCounted && warmingUp) });
    if (isCounted) rates[at]!.push(answered / seconds);
  });
  return rates;
}

/** Starts the built program with its database at a path. */
export async function startProgram(processes: number, path: string): Promise<AsyncDisposable & { port: number }> {
  const child = spawn(process.execPath, [join(DIST, "bin/service.js"), "serve"], {
    env: {
      PATH: process.env["PATH"],
      PORT: "0",
      PETSTORE_ENV: "production",
      SHUTDOWN_DELAY: "0",
      DATABASE_URL: `file:${path}`,
      WEB_CONCURRENCY: String(processes),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const lines = createInterface(child.stdout);
  const port = await new Promise<number>((done, failed) => {
    void exited.then(() => failed(new Error("The program ended before it listened.")));
    lines.on("line", (line) => {
      const url = /listening on (\S+)$/.exec(line)?.[1];
      if (url === undefined) return;
      done(Number(new URL(url).port));
      lines.close();
      child.stdout.resume(); // reads and drops the log, as a collector would read it
    });
  });
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await exited;
    },
  };
}
