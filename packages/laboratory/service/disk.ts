import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { withProgress } from "@openapi-operations/command-line";
import { encodeCursor } from "@openapi-operations/service/page";
import { withChildren } from "@platform/test-support/machine";
import * as postgres from "@platform/test-support/postgres";
import { randomOf } from "@platform/test-support/random";
import { show, spreadOf } from "../measuring/figures.ts";
import type { OpenLoad, OpenResult } from "../measuring/open-load.ts";
import { startOpenLoad } from "../measuring/process.ts";
import { contenderOn, filledDatabase, pinned } from "./postgres.ts";
import { type Bench, startContender } from "./rounds.ts";
import { KEYED_CREATION, requestText, type Work, WORKS } from "./works.ts";

const MEMORY = "512M";
const FEW = 10_000;
/** Safe in a crash, unlike in tests. */
const ON_DISK = { parent: tmpdir(), settings: ["fsync=on", "full_page_writes=on", "shared_buffers=64MB"] };

const { "get by id": get, "list 20": list } = WORKS;
/** The requests. `id` returns a random one of the newest animals, where these are the share `of` all. */
const REQUESTS: Record<string, (id: (of: number) => number) => Work> = {
  "single animal, any": (id) => ({ ...get, path: `/v1/pets/${id(1)}` }),
  "single animal, newest 1 %": (id) => ({ ...get, path: `/v1/pets/${id(0.01)}` }),
  "list 20, first": () => list,
  "list 20, after any": (id) => ({ ...list, path: `${list.path}?cursor=${encodeCursor(id(1))}` }),
  "creation with Idempotency-Key": () => KEYED_CREATION,
};

/** Measures the service on a table larger than PostgreSQL's memory, beside one that fits, and the maintenance of the larger one. */
export async function onDisk(bench: Bench, animals: number): Promise<void> {
  const absence = await postgres.postgresUnavailable();
  if (absence !== undefined) return console.log(absence);
  using group = new DisposableStack();
  await using server = await postgres.startPostgres(ON_DISK);
  const limit = limitMemory(pinned(server), group);
  const tables: Record<string, Awaited<ReturnType<typeof filledDatabase>>> = {};
  await withProgress(async (report) => {
    report("Creating animals");
    for (const count of [animals, FEW]) tables[count] = await filledDatabase(server, count);
  });
  const { url } = tables[animals]!;
  await postgres.execute(url, "vacuum pets"); // reads write nothing afterwards
  const gigabytes = await gigabytesOf(url, "pg_total_relation_size('pets')");
  console.log(`\nPostgreSQL: ${limit}; ${ON_DISK.settings.join(", ")}; on one core, with the load`);
  console.log(`${animals} animals: ${gigabytes.toFixed(2)} GB, ${((gigabytes * 1e9) / animals).toFixed(0)} bytes each`);
  await measureRequests(bench, tables);
  await measureMaintenance(server, url);
}

async function measureRequests(
  { databases, effort: { rounds, milliseconds, connections } }: Bench,
  tables: Record<string, { url: string; key: string }>,
): Promise<void> {
  using load = startOpenLoad();
  // More arrive than are served, so that each connection has a request at all times.
  const saturating = { perSecond: 50_000, connections: 2 * connections, runIn: 0, patience: 10_000 };
  let seed = 0; // of the keys too
  const all: Record<string, Record<string, number[]>> = {};
  await withProgress(async (report) => {
    for (let round = 0; round < rounds; round++)
      for (const [animals, { url, key }] of Object.entries(tables)) {
        using running = await startContender("service", contenderOn(url), databases);
        for (const [name, workOf] of Object.entries(REQUESTS)) {
          report(`Measuring ${name}`, { done: round, total: rounds, unit: "rounds" });
          const run = (duration: number): Promise<OpenResult> => {
            const random = randomOf(++seed);
            const id = (of: number): number => Number(animals) - Math.floor(random() * of * Number(animals));
            const requests = Array.from({ length: 10 * duration }, () => requestText(workOf(id), key));
            const { port } = running;
            return load.ask({ ...saturating, port, requests, milliseconds: duration, seed } satisfies OpenLoad);
          };
          await run(2 * milliseconds);
          const before = kilobytesRead();
          const { served, seconds, p99 } = await run(milliseconds);
          const figures = {
            "requests/s": served / seconds,
            "p99 ms": p99,
            "KB read": (kilobytesRead() - before) / served,
          };
          const row = (all[`${name}, of ${animals}`] ??= {});
          for (const [figure, value] of Object.entries(figures)) (row[figure] ??= []).push(value);
        }
      }
  });
  console.log(`\n${saturating.connections} connections; KB that the machine read from disk, for each request`);
  const shown = (row: Record<string, number[]>): [string, string][] =>
    Object.entries(row).map(([figure, values]) => [figure, show(spreadOf(values), 1)]);
  console.table(Object.fromEntries(Object.entries(all).map(([name, row]) => [name, Object.fromEntries(shown(row))])));
}

/** Prints the seconds of operations on a database with animals: builds of an index, vacuum and restore. */
async function measureMaintenance(server: postgres.PostgresServer, url: string): Promise<void> {
  const seconds: Record<string, number> = {};
  const time = async (name: string, work: () => Promise<void>): Promise<void> => {
    const start = performance.now();
    await work();
    seconds[name] = (performance.now() - start) / 1_000;
  };
  const run = (statement: string): Promise<void> => postgres.execute(url, statement);
  await time("create index concurrently", () => run("create index concurrently by_one on pets (category_id)"));
  await run("drop index by_one");
  await time("create index", () => run("create index by_one on pets (category_id)"));
  await run("delete from pets where id % 10 = 0");
  await time("vacuum after the deletion of each tenth", () => run("vacuum pets"));
  const gigabytes = await gigabytesOf(url, "sum(pg_database_size(oid)) from pg_database");
  await using standby = await postgres.startPostgres(ON_DISK);
  await standby.stop();
  const restore = `copy of ${gigabytes.toFixed(2)} GB on the same disk, and start from it`;
  await time(restore, () => postgres.follow(standby, server));
  seconds["the same, for each GB"] = seconds[restore]! / gigabytes;
  console.log("\nseconds, measured once");
  console.table(Object.fromEntries(Object.entries(seconds).map(([name, value]) => [name, value.toFixed(1)])));
}

async function gigabytesOf(url: string, bytes: string): Promise<number> {
  const [row] = await postgres.rowsOf<{ bytes: string }>(url, `select bytes from (select ${bytes}) as sizes (bytes)`);
  return Number(row!.bytes) / 1e9;
}

/** Returns the KB that Linux has read from disks. */
function kilobytesRead(): number {
  return Number(/^pgpgin (\d+)$/m.exec(readFileSync("/proc/vmstat", "utf8"))![1]);
}

/** Limits the memory of a server with the files that it reads, by a control group of version 1 or 2. Returns the limit, or why there is none. */
function limitMemory(pid: number, group: DisposableStack): string {
  const isFirst = existsSync("/sys/fs/cgroup/memory");
  const folder = `/sys/fs/cgroup/${isFirst ? "memory/" : ""}petstore-bench-${process.pid}`;
  try {
    mkdirSync(folder);
    group.defer(() => rmdirSync(folder));
    const set = (name: string, value: string): void => writeFileSync(`${folder}/${name}`, value, { flag: "r+" });
    set(isFirst ? "memory.limit_in_bytes" : "memory.max", MEMORY);
    for (const each of withChildren(pid)) set("cgroup.procs", String(each));
    return `${MEMORY} of memory by a control group, with cached files`;
  } catch (error) {
    return `no limit of memory but shared_buffers, without a control group: ${(error as Error).message}`;
  }
}
