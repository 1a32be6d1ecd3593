import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "@platform/test-support/temporary";
import { needsTool } from "@platform/test-support/machine";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { creation, type Program, startProgram } from "./start.ts";

const BATCHES = [1, 16, 64];
/** The first creation may be its own group, and a log that starts again is synced once more. */
const MOST_SYNCS = 4;

const STRACE = "strace -D -f -y -s 12 -e trace=fsync,fdatasync,write,writev,sendto,sendmsg".split(" ");

test("simultaneous creations are synced to disk together, before any of their responses is sent", async (context) => {
  const folder = await temporaryFolder();
  const trace = join(folder, "trace");
  try {
    execFileSync(STRACE[0]!, [...STRACE.slice(1), "-o", trace, "true"], { stdio: "pipe" });
  } catch (error) {
    const absence = `strace cannot be run here: ${(error as Error).message.split("\n").at(-1)}`;
    if ((error as NodeJS.ErrnoException).code === "ENOENT") needsTool(context, absence);
    return context.skip(absence); // the system may forbid it
  }
  const program = await startProgram(folder, { METRICS_PORT: "0" }, [...STRACE, "-o", trace]);
  await expectCreated(program, 1);
  for (const size of BATCHES) {
    const lock = new Sqlite(join(folder, "data/things.db")).exec("begin immediate");
    const created = expectCreated(program, size);
    await expect.poll(() => inFlight(program)).toBe(size);
    lock.exec("rollback").close();
    await created;
    await inFlight(program);
  }
  expect(await program.stop()).toBe(0);

  const ended = new RegExp(`^${program.child.pid} +[+]{3} exited with 0 `, "m");
  await expect.poll(() => readFile(trace, "utf8")).toMatch(ended);
  const batches = batchesIn(await readFile(trace, "utf8"));
  const figures = BATCHES.map((creations, index) => {
    const batch = batches[index]!;
    expect(batch[0]).toBe("sync");
    expect(batch.filter((event) => event === "answer")).toHaveLength(creations);
    return { creations, syncs: batch.filter((event) => event === "sync").length };
  });
  for (const { syncs } of figures) expect(syncs).toBeLessThanOrEqual(MOST_SYNCS);
  console.log(figures);
});

type Event = "sync" | "answer" | "metrics";

/** Returns the successful syncs of the database and the starts of responses, in order, grouped by the requests for metrics. */
function batchesIn(trace: string): Event[][] {
  const batches: Event[][] = [[]];
  for (const event of trace.split("\n").flatMap(eventOf)) {
    if (event === "metrics") batches.push([]);
    else batches.at(-1)!.push(event);
  }
  return batches.slice(1).filter((batch) => batch.includes("answer"));
}

function eventOf(line: string): Event[] {
  if (/\b(fsync|fdatasync)(\(.*things\.db.*| resumed>)\) += 0$/.test(line)) return ["sync"];
  if (line.includes('"HTTP/1.1 201"')) return ["answer"];
  return line.includes('"HTTP/1.1 200"') ? ["metrics"] : [];
}

async function expectCreated({ baseUrl, key }: Program, count: number): Promise<void> {
  const init = creation("Rex", { Authorization: `Bearer ${key}` });
  const responses = await Promise.all(Array.from({ length: count }, () => fetch(`${baseUrl}/things`, init)));
  expect(responses.map(({ status }) => status)).toEqual(Array(count).fill(201));
}

async function inFlight({ output }: Program): Promise<number> {
  const url = /Metrics are at (\S+)/.exec(output())![1]!;
  const metrics = await (await fetch(url)).text();
  return Number(/^http_requests_in_flight (\d+)$/m.exec(metrics)![1]);
}
