import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { exchange } from "../measuring/connection.ts";
import { show, type Spread, spreadOf } from "../measuring/figures.ts";
import type { LoadResult } from "../measuring/load.ts";
import type { OpenLoad, OpenResult } from "../measuring/open-load.ts";
import { startOpenLoad } from "../measuring/process.ts";
import { withProgress } from "@openapi-operations/command-line";
import { follow, type PostgresServer, postgresUnavailable, startPostgres } from "@platform/test-support/postgres";
import Sqlite from "better-sqlite3";
import { build } from "@openapi-operations/contract-tools/build";
import type { Contender } from "./contenders.ts";
import { cpuSecondsOfAll } from "@platform/test-support/machine";
import { contenderOn, filledDatabase, pinned } from "./postgres.ts";
import { DIST, ratesOf, startProgram } from "./processes.ts";
import { type Bench, SERVER, startContender } from "./rounds.ts";
import { KEYED_CREATION, requestsOf, requestText, type Work, WORKS } from "./works.ts";

/** The requests of the example mix, of ten. */
const MIX = { "list 20": 4, "get by id": 5, create: 1 } as const;
type Kind = keyof typeof MIX;
const KINDS = Object.keys(MIX) as Kind[];
const WORKS_OF_MIX: Work[] = "l g l g l c g g l g"
  .split(" ")
  .map((letter) => ({ l: WORKS["list 20"], g: WORKS["get by id"], c: WORKS.create })[letter]!);
/** The lengths of two loads whose difference is measured, after one as a warm-up. The lock of a write is waited for no longer than 5 s. */
const REFUSALS_MS = [4_500, 1_500, 4_500];

/** The costs of a kind of request: CPU time in microseconds. */
interface Costs {
  service: Spread;
  load: Spread;
  /** PostgreSQL's processes. */
  database?: Spread;
}

/** The costs, and the requests per second. */
interface Measured extends Costs {
  perSecond: Spread;
}

/** Prints the inputs of the capacity model, and its prediction for the example mix beside the measurement. */
export async function capacity(bench: Bench): Promise<void> {
  const cached = await costsOn(bench, { name: "petstore" });
  const uncached = await costsOn(bench, { name: "petstore", tuning: { isCaching: false } });
  await printInputs(bench, { "SQLite, cached": cached, "SQLite, not cached": uncached });
  const rows: Record<string, Record<string, string>> = {};
  const one = await measureWorks(bench, { name: "petstore" }, WORKS_OF_MIX);
  rows["one process, SQLite, a core of its own"] = {
    predicted: `${rate(1e6 / mean(uncached, "service"))} to ${rate(1e6 / mean(cached, "service"))}`,
    measured: show(one.perSecond, 0),
  };
  const machine = await measureMachine(bench);
  const perRequest = (costs: Record<Kind, Costs>) => mean(costs, "service") + one.load.median;
  rows["two processes, SQLite, two cores with the load"] = {
    predicted: `${rate(2e6 / perRequest(uncached))} to ${rate(2e6 / perRequest(cached))}`,
    measured: show(machine, 0),
  };
  const absence = await postgresUnavailable();
  if (absence === undefined) Object.assign(rows, await capacityOnPostgres(bench));
  else console.log(absence);
  console.log("\nrequests per second of the mix: 4 lists of 20, 5 single animals, 1 creation");
  console.table(rows);
}

async function capacityOnPostgres(bench: Bench): Promise<Record<string, Record<string, string>>> {
  await using server = await startPostgres();
  const pid = pinned(server);
  const { url, key } = await filledDatabase(server);
  const contender = contenderOn(url);
  const postgres = { pid, key };
  const costs = await costsOn(bench, contender, postgres);
  await printInputs(bench, { PostgreSQL: costs });
  const mixed = await measureWorks(bench, contender, WORKS_OF_MIX, postgres);
  const service = 1e6 / mean(costs, "service");
  const database = 1e6 / (mean(costs, "database") + mixed.load.median);
  console.log(`one core of PostgreSQL alone: ${rate(1e6 / mean(costs, "database"))} requests per second of the mix`);
  return {
    "one process, PostgreSQL on the core of the load": {
      predicted: `${rate(Math.min(service, database))} (service ${rate(service)}, other core ${rate(database)})`,
      measured: show(mixed.perSecond, 0),
    },
    ...(await capacityOfReplica(bench, server, { ...postgres, url }, costs)),
  };
}

/** Measures reads by a process with a replica, their cost on each server, and the cost of creations on the replica. */
async function capacityOfReplica(
  bench: Bench,
  primary: PostgresServer,
  { url, ...onPrimary }: { url: string; pid: number; key: string },
  costs: Record<Kind, Measured>,
): Promise<Record<string, Record<string, string>>> {
  await using replica = await startPostgres();
  await replica.stop();
  await follow(replica, primary);
  const onReplica = { ...onPrimary, pid: pinned(replica) };
  const replay = await measureWorks(bench, contenderOn(url), [WORKS.create], onReplica);
  console.log(`CPU µs of a replica for each creation on its primary: ${show(replay.database!, 0)}`);
  const replicaUrl = new URL(replica.url);
  replicaUrl.pathname = new URL(url).pathname;
  const reads = WORKS_OF_MIX.filter(({ method }) => method === "GET");
  const contender = contenderOn(url, { DATABASE_URL_READ: replicaUrl.href });
  const measured = await measureWorks(bench, contender, reads, onReplica);
  const lookUps = await measureWorks(bench, contender, reads, onPrimary);
  console.log(
    `CPU µs of a read: service ${show(measured.service, 0)}, replica ${show(measured.database!, 0)}, primary ${show(lookUps.database!, 0)}`,
  );
  const readMean = (cost: "service" | "database"): number =>
    (MIX["list 20"] * costs["list 20"][cost]!.median + MIX["get by id"] * costs["get by id"][cost]!.median) /
    reads.length;
  const service = 1e6 / readMean("service");
  const database = 1e6 / (readMean("database") + measured.load.median);
  return {
    "reads by one process with a replica; both servers on the core of the load": {
      predicted: `${rate(Math.min(service, database))} (service ${rate(service)}, other core ${rate(database)})`,
      measured: show(measured.perSecond, 0),
    },
  };
}

/** The mean over the mix of one of the costs, in microseconds. */
function mean(costs: Record<Kind, Costs>, cost: keyof Costs): number {
  return KINDS.reduce((sum, kind) => sum + (MIX[kind] / WORKS_OF_MIX.length) * costs[kind][cost]!.median, 0);
}

function rate(perSecond: number): string {
  return perSecond.toFixed(0);
}

async function costsOn(
  bench: Bench,
  contender: Contender,
  postgres?: { pid: number; key: string },
): Promise<Record<Kind, Measured>> {
  const entries: [Kind, Measured][] = [];
  for (const kind of KINDS) entries.push([kind, await measureWorks(bench, contender, [WORKS[kind]], postgres)]);
  return Object.fromEntries(entries) as Record<Kind, Measured>;
}

/** Measures works in turns of rounds, each with a new process. */
async function measureWorks(
  { load, databases, effort }: Bench,
  contender: Contender,
  works: Work[],
  postgres?: { pid: number; key: string },
): Promise<Measured> {
  const figures = {
    perSecond: [] as number[],
    service: [] as number[],
    load: [] as number[],
    database: [] as number[],
  };
  await withProgress(async (report) => {
    for (let round = 0; round < effort.rounds; round++) {
      report("Measuring", { done: round, total: effort.rounds, unit: "rounds" });
      using running = await startContender("service", contender, databases, { synchronous: "full" });
      const slice = {
        port: running.port,
        requests: requestsOf(works, postgres?.key ?? running.key),
        connections: 2 * effort.connections,
        milliseconds: effort.milliseconds,
        runIn: 3 * effort.milliseconds,
      };
      const ofDatabase = async (): Promise<number> => (postgres === undefined ? 0 : cpuSecondsOfAll(postgres.pid));
      const ofService = (): Promise<number> => running.ask("CPU seconds");
      const { answered, seconds, cpuSeconds, used } = await load.run(slice, ofService, ofDatabase);
      const [service, database, own] = [...used, cpuSeconds].map((each) => (each * 1e6) / answered);
      figures.perSecond.push(answered / seconds);
      figures.service.push(service!);
      figures.load.push(own!);
      if (postgres !== undefined) figures.database.push(database!);
    }
  });
  return {
    perSecond: spreadOf(figures.perSecond),
    service: spreadOf(figures.service),
    load: spreadOf(figures.load),
    ...(postgres !== undefined && { database: spreadOf(figures.database) }),
  };
}

/** Measures the program with two processes on two cores, one of which the load shares. */
async function measureMachine({ load, databases, effort }: Bench): Promise<Spread> {
  await build(SERVER, DIST);
  await using program = await startProgram(2, await databases.copy());
  const requests = requestsOf(WORKS_OF_MIX, databases.key);
  const connections = 2 * effort.connections;
  const [rates] = await ratesOf(load, [program.port], requests, { ...effort, connections });
  return spreadOf(rates!);
}

async function printInputs(bench: Bench, all: Record<string, Record<Kind, Measured>>): Promise<void> {
  using running = await startContender("service", { name: "petstore" }, bench.databases);
  const rows: Record<string, Record<string, string>> = {};
  for (const [name, costs] of Object.entries(all)) {
    for (const kind of KINDS) {
      const { service, database, perSecond } = costs[kind];
      rows[`${kind}, ${name}`] = {
        "service CPU µs": show(service, 0),
        ...(database && { "PostgreSQL CPU µs": show(database, 0) }),
        "requests/s": show(perSecond, 0),
        "response bytes": String((await exchange(running.port, requestText(WORKS[kind], running.key))).length),
      };
    }
  }
  console.log(`\ninputs of the model, ${2 * bench.effort.connections} connections`);
  console.table(rows);
  if (!Object.keys(all).some((name) => name.startsWith("SQLite"))) return;
  const { keyed, plain } = await costsOfCreations(bench);
  console.log(`CPU µs of a creation with an Idempotency-Key: ${show(keyed, 0)}, without: ${show(plain, 0)}`);
  console.log(await syncsOf(bench));
  console.log(`CPU µs of a refusal: ${(await costOfRefusal(bench)).toFixed(0)}`);
}

/** Measures the CPU time of creations with a new `Idempotency-Key` each, and without one, in microseconds. */
async function costsOfCreations({ databases, effort }: Bench): Promise<Record<"keyed" | "plain", Spread>> {
  using load = startOpenLoad();
  const costs = { keyed: [] as number[], plain: [] as number[] };
  let seed = 0; // of the keys too
  await withProgress(async (report) => {
    for (let round = 0; round < effort.rounds; round++) {
      report("Measuring creations", { done: round, total: effort.rounds, unit: "rounds" });
      using running = await startContender("service", { name: "petstore" }, databases, { synchronous: "full" });
      const texts = { keyed: requestText(KEYED_CREATION, running.key), plain: requestText(WORKS.create, running.key) };
      const kinds = ["keyed", "plain"] as const;
      for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
        const run = (milliseconds: number): Promise<OpenResult> =>
          load.ask<OpenResult>({
            port: running.port,
            requests: [texts[kind]],
            perSecond: 50_000,
            connections: 2 * effort.connections,
            milliseconds,
            runIn: 0,
            patience: 10_000,
            seed: ++seed,
          } satisfies OpenLoad);
        await run(3 * effort.milliseconds);
        const before = await running.ask<number>("CPU seconds");
        const { served } = await run(effort.milliseconds);
        costs[kind].push((1e6 * ((await running.ask<number>("CPU seconds")) - before)) / served);
      }
    }
  });
  return { keyed: spreadOf(costs.keyed), plain: spreadOf(costs.plain) };
}

/** Returns the CPU time of a refusal in microseconds: each request but one waits for its place, and is refused after a second. */
async function costOfRefusal({ databases }: Bench): Promise<number> {
  let path = "";
  const copy = async (): Promise<string> => (path = await databases.copy());
  const contender = { name: "petstore", env: { MAX_IN_FLIGHT: "1" } } as const;
  using running = await startContender("service", contender, { ...databases, copy });
  using load = startOpenLoad();
  const used: { cpu: number; refused: number }[] = [];
  for (const milliseconds of REFUSALS_MS) {
    const lock = new Sqlite(path).exec("begin immediate"); // the first creation waits for this lock
    const before = await running.ask<number>("CPU seconds");
    const { refused } = await load.ask<OpenResult>({
      port: running.port,
      requests: [requestText(WORKS.create, running.key)],
      perSecond: 20_000,
      connections: 4_000,
      milliseconds,
      runIn: 0,
      patience: 10_000,
      seed: 1,
    } satisfies OpenLoad);
    used.push({ cpu: (await running.ask<number>("CPU seconds")) - before, refused });
    lock.exec("rollback").close();
  }
  const [short, long] = used.slice(-2);
  return (1e6 * (long!.cpu - short!.cpu)) / (long!.refused - short!.refused); // without the cost of the connections
}

/** Returns how many creations share a sync, counted by strace. */
async function syncsOf({ load, databases, effort }: Bench): Promise<string> {
  using running = await startContender("service", { name: "petstore" }, databases, { synchronous: "full" });
  const requests = requestsOf([WORKS.create], running.key);
  const pid = await running.ask<number>("process id");
  const command = ["-s", "INT", "3", "strace", "-f", "-c", "-e", "trace=fsync,fdatasync", "-p", String(pid)];
  await load.ask({
    port: running.port,
    requests,
    connections: 2 * effort.connections,
    milliseconds: 2_000,
    runIn: 1_000,
  });
  const counting = promisify(execFile)("timeout", command).catch((error: { stderr?: string }) => error);
  const { answered } = await load.ask<LoadResult>("go");
  const { stderr = "" } = await counting;
  const syncs = [...stderr.matchAll(/^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s.*f(?:data)?sync$/gm)];
  if (syncs.length === 0) return "syncs: strace cannot be run here";
  const count = syncs.reduce((sum, [, calls]) => sum + Number(calls), 0);
  return `syncs: ${count} for ${answered} creations, ${(answered / count).toFixed(1)} creations for each`;
}
