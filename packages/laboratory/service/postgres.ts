import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { scopes } from "@petstore/contract";
import { createApiKey } from "@openapi-operations/api-keys/keys.repository";
import { openDatabase } from "@openapi-operations/storage/database";
import { migrate } from "@openapi-operations/storage/migrations";
import { cpuSecondsOfAll, withChildren } from "@platform/test-support/machine";
import {
  createDatabase,
  type PostgresServer,
  postgresUnavailable,
  startPostgres,
} from "@platform/test-support/postgres";
import { sql } from "kysely";
import { MIGRATIONS } from "../../../apps/server/src/migrations.ts";
import { ratioOf, show, spreadOf } from "../measuring/figures.ts";
import { canPin } from "../measuring/process.ts";
import type { Contender } from "./contenders.ts";
import { ANIMAL } from "./database.ts";
import { type Bench, measureFresh, type RunningContender, type Series, startContender } from "./rounds.ts";
import { KEYED_CREATION, WORKS } from "./works.ts";

const COMPARED = {
  "list 20": WORKS["list 20"],
  "get by id": WORKS["get by id"],
  create: WORKS.create,
  "create, new Idempotency-Key": KEYED_CREATION,
};

/** Returns the service on a database of PostgreSQL. */
export function contenderOn(url: string, env?: NodeJS.ProcessEnv): Contender {
  return { name: "petstore", env: { DATABASE_URL: url, ...env } };
}

/** Moves all processes of a server to the core of the load if possible. Returns the id of the first. */
export function pinned(server: PostgresServer): number {
  const pid = Number(readFileSync(join(server.data, "postmaster.pid"), "utf8").split("\n")[0]);
  if (canPin)
    for (const each of withChildren(pid))
      spawnSync("taskset", ["-a", "-p", "-c", "1", String(each)], { stdio: "pipe" });
  return pid;
}

/** Creates a database with the animals of the benchmark and an API key. */
export async function filledDatabase(server: PostgresServer, animals = 10_000): Promise<{ url: string; key: string }> {
  const { url } = await createDatabase(server.url);
  const db = openDatabase(`${url}?statement_timeout=0`);
  await migrate(db, MIGRATIONS);
  const { key } = await createApiKey(db, { name: "bench", environment: "production", scopes });
  await sql`insert into pets (name, category_id, status)
    select ${sql.raw(ANIMAL)} from generate_series(1, ${animals}::int) as n`.execute(db);
  await sql`analyze`.execute(db);
  await db.destroy();
  return { url, key };
}

/** Compares the service on PostgreSQL with itself on SQLite, both without caches, and with Fastify and `postgres`. */
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
