import { hashApiKey, prefixOfApiKey } from "@openapi-operations/api-keys/api-key";
import type { ApiKeysTables } from "@openapi-operations/api-keys/keys.table";
import { openDatabase } from "@openapi-operations/storage/database";
import { migrate } from "@openapi-operations/storage/migrations";
import { scopes } from "@petstore/contract";
import { execute, postgresUnavailable, startPostgres } from "@platform/test-support/postgres";
import { sql } from "kysely";
import { MIGRATIONS } from "../../../apps/server/src/migrations.ts";
import { ratioOf, show } from "../measuring/figures.ts";
import { pinned } from "./capacity.ts";
import type { Contender } from "./contenders.ts";
import { type Bench, measureFresh, startContender } from "./rounds.ts";
import { print } from "./sections.ts";
import { WORKS } from "./works.ts";

const ON_POSTGRES = "this service, PostgreSQL";
const ON_SQLITE = "this service, SQLite, no response cache";
const PEER = "Fastify with postgres";

/** Compares the service on PostgreSQL with itself on SQLite, and with Fastify and `postgres`. */
export async function onPostgres(bench: Bench): Promise<void> {
  const absence = await postgresUnavailable();
  if (absence !== undefined) return console.log(absence);
  await using server = await startPostgres();
  pinned(server);
  await execute(server.url, "create database filled");
  await fill(atDatabase(server.url, "filled"), bench.databases.key);

  let copies = 0;
  const copy = async (): Promise<string> => {
    const name = `copy_${copies++}`;
    await execute(server.url, `create database ${name} template filled`);
    return atDatabase(server.url, name);
  };
  const start = async (running: DisposableStack) => {
    const contenders = {
      [ON_POSTGRES]: { name: "petstore", env: { DATABASE_URL: await copy() } },
      [PEER]: { name: "fastify-postgres", env: { DATABASE_URL: await copy() } },
      [ON_SQLITE]: { name: "petstore", tuning: { isCaching: false } },
    } satisfies Record<string, Contender>;
    const all = Object.entries(contenders) as [keyof typeof contenders, Contender][];
    return Promise.all(
      all.map(async ([label, contender]) => running.use(await startContender(label, contender, bench.databases))),
    );
  };
  const { "list 20": list, "get by id": get, create } = WORKS;
  const works = { "list 20": list, "get by id": get, create, "create with a key": { ...create, isKeyed: true } };
  const effort = { ...bench.effort, connections: 2 * bench.effort.connections };
  for (const [work, all] of Object.entries(await measureFresh({ load: bench.load, effort }, start, works))) {
    print(`${work}, ${effort.connections} connections`, all, PEER);
    const cost = ratioOf(all[ON_SQLITE].perCpuSecond, all[ON_POSTGRES].perCpuSecond);
    console.log(`CPU time of the service on PostgreSQL to that on SQLite: ${show(cost)}`);
  }
}

function atDatabase(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

/** Fills a database as `createDatabases` fills a file, with the same key. */
async function fill(url: string, key: string): Promise<void> {
  const db = openDatabase<ApiKeysTables>(url);
  await migrate(db, MIGRATIONS);
  const row = { name: "bench", prefix: prefixOfApiKey(key), hash: hashApiKey(key), created_at: Date.now() };
  await db
    .insertInto("api_keys")
    .values({ ...row, scopes: scopes.join(" ") })
    .execute();
  await sql`insert into pets (name, category_id, status)
    select 'Animal number ' || n, 1 + n % 50,
      case when n % 100 = 0 then 'pending' when n % 3 = 0 then 'sold' else 'available' end
    from generate_series(1, 10000) as n`.execute(db);
  await sql`vacuum analyze`.execute(db);
  await db.destroy();
}
