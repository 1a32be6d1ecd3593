import { postgresUnavailable, startPostgres } from "@platform/test-support/postgres";
import { cpuSecondsOfAll } from "@platform/test-support/machine";
import { ratioOf, show, spreadOf } from "../measuring/figures.ts";
import { contenderOn, filledDatabase, pinned } from "./capacity.ts";
import type { Contender } from "./contenders.ts";
import { type Bench, measureFresh, type RunningContender, type Series, startContender } from "./rounds.ts";
import { KEYED_CREATION, WORKS } from "./works.ts";

const COMPARED = {
  "list 20": WORKS["list 20"],
  "get by id": WORKS["get by id"],
  create: WORKS.create,
  "create, new Idempotency-Key": KEYED_CREATION,
};

/** Compares the service on PostgreSQL with itself on SQLite, both without response cache, and with Fastify and `postgres`. */
export async function onPostgres({ load, databases, effort }: Bench): Promise<void> {
  const absence = await postgresUnavailable();
  if (absence !== undefined) return console.log(absence);
  await using server = await startPostgres();
  const pid = pinned(server);
  const { url } = await filledDatabase(server);
  const path = "../peers/service/postgres-drivers.ts";
  const drivers = (await import(path)) as {
    costsOfDrivers: (url: string, rounds: number, milliseconds: number) => Promise<Record<string, number[]>>;
  };
  const costs = await drivers.costsOfDrivers(url, effort.rounds, effort.milliseconds);
  console.log("\ndrivers: CPU µs of Node for a list of 20, 64 callers");
  const shown = Object.entries(costs).map(([driver, series]) => [driver, { "CPU µs": show(spreadOf(series), 0) }]);
  console.table(Object.fromEntries(shown));

  const startOn = async <Label extends string>(label: Label, name: Contender["name"]) => {
    const { url: own, key } = await filledDatabase(server);
    const contender = await startContender(label, { ...contenderOn(own), name }, databases);
    return { ...contender, key, database: async () => cpuSecondsOfAll(pid) };
  };
  const sqlite = { name: "petstore", tuning: { isCaching: false } } as const;
  const start = async (running: DisposableStack): Promise<RunningContender<"sqlite" | "postgres" | "peer">[]> => [
    running.use(await startContender("sqlite", sqlite, databases, { synchronous: "full" })),
    running.use(await startOn("postgres", "petstore")),
    running.use(await startOn("peer", "fastify-postgres")),
  ];
  const warmUp = { ...effort.warmUp, milliseconds: Math.min(effort.warmUp.milliseconds, 2_000) };
  const connections = 2 * effort.connections;
  const measured = await measureFresh({ load, effort: { ...effort, warmUp, connections } }, start, COMPARED);
  const rows = Object.entries(measured).map(([work, all]) => [work, rowOf(all)]);
  console.log(`\nthe service on PostgreSQL, ${connections} connections; the peer is Fastify with postgres (npm)`);
  console.table(Object.fromEntries(rows));
}

function rowOf({ sqlite, postgres, peer }: Record<"sqlite" | "postgres" | "peer", Series>): Record<string, string> {
  const cpu = ({ perCpuSecond }: Series): number[] => perCpuSecond.map((rate) => 1e6 / rate);
  return {
    "CPU µs": show(spreadOf(cpu(postgres)), 0),
    "on SQLite": show(spreadOf(cpu(sqlite)), 0),
    "to SQLite": show(ratioOf(cpu(postgres), cpu(sqlite))),
    "requests/s": show(spreadOf(postgres.perSecond), 0),
    "to the peer": show(ratioOf(postgres.perSecond, peer.perSecond)),
    "to the peer, CPU": show(ratioOf(postgres.perCpuSecond, peer.perCpuSecond)),
    "PostgreSQL's CPU µs": show(spreadOf(postgres.database), 0),
    "for the peer": show(spreadOf(peer.database), 0),
  };
}
