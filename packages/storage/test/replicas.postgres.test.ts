import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { withChildren } from "@platform/test-support/machine";
import { execute, follow, type PostgresServer, rowsOf, startPostgres } from "@platform/test-support/postgres";
import { sql } from "kysely";
import pino, { type Logger } from "pino";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { migrate } from "../src/migrations.ts";
import { openStorage } from "../src/open-storage.ts";
import { DatabaseError } from "../src/database-error.ts";
import { openDatabase } from "../src/database.ts";
import { examineReplicas, replicasRead } from "../src/postgres/replicas.ts";
import type { Storage } from "../src/storage.ts";
import { insertThing, listThings, MIGRATIONS, type Tables } from "./things.ts";

const CUP = { name: "cup", size: 1 };

let primary: PostgresServer;
let replica: PostgresServer;
/** A server with other data. */
let stranger: PostgresServer;

beforeAll(async () => {
  [primary, replica, stranger] = await Promise.all([startPostgres(), startPostgres(), startPostgres()]);
  await replica.stop();
  await follow(replica, primary);
  const db = openDatabase<Tables>(primary.url);
  await migrate(db, MIGRATIONS);
  await db.destroy();
});

afterAll(() => Promise.all([primary, replica, stranger].map((server) => server[Symbol.asyncDispose]())));

test("a replica is read from once it has what was committed a second ago", async () => {
  const { replicas } = opened(replica);
  await expect.poll(() => replicas!.find()).toBeDefined();
  expect(await portOf(replicas!.find()!)).toBe(portIn(replica.url));
});

test("a replica is found by the token of a write once it has replayed the write", async () => {
  const { replicas, write } = opened(replica);
  await expect.poll(() => replicas!.find()).toBeDefined();
  await execute(replica.url, "select pg_wal_replay_pause()");
  const tokens: string[] = [];
  for (let time = 0; time < 2; time++)
    await write(
      (trx) => insertThing(trx, CUP),
      undefined,
      (token) => tokens.push(token),
    );
  expect([...tokens]).toEqual(tokens.toSorted());
  expect([replicas!.find(tokens[0]), replicas!.find(tokens[1])]).toEqual([undefined, undefined]);
  await execute(replica.url, "select pg_wal_replay_resume()");
  await expect.poll(() => replicas!.find(tokens[1])).toBeDefined();
  const ofLaterPrimary = `00000002${tokens[0]!.slice(8)}`; // before this process knows of the failover
  expect(replicas!.find(ofLaterPrimary)).toBeUndefined();
  expect(replicas!.find("f".repeat(24))).toBeUndefined();
});

test("a replica that is over a second behind is not read from, whatever the token", async () => {
  const { replicas, write } = opened(replica);
  await expect.poll(() => replicas!.find()).toBeDefined();
  await execute(replica.url, "select pg_wal_replay_pause()");
  await write((trx) => insertThing(trx, CUP));
  const writtenAt = performance.now();
  await expect.poll(() => replicas!.find()).toBeUndefined();
  expect(performance.now() - writtenAt).toBeLessThan(1_000);
  expect([replicas!.find(""), replicas!.find("0".repeat(16)), replicasRead()]).toEqual([undefined, undefined, 0]);
  await execute(replica.url, "select pg_wal_replay_resume()");
  await expect.poll(replicasRead).toBe(1);
});

test("a query that the replica does not answer goes to the primary, prepared or not", async () => {
  const { replicas, write } = opened(replica);
  await write((trx) => insertThing(trx, CUP));
  await expect.poll(() => replicas!.find()).toBeDefined();
  const db = replicas!.find()!;
  await listThings(db);
  const slow = sql<{ port: number }>`select inet_server_port() as port from pg_sleep(0.5)`.execute(db);
  await replica.stop("SIGQUIT");
  expect((await slow).rows[0]!.port).toBe(portIn(primary.url));
  expect((await listThings(db)).length).toBeGreaterThan(0);
  await replica.start();
  await expect.poll(() => replicas!.find()).toBeDefined();
  expect(await portOf(replicas!.find()!)).toBe(portIn(replica.url));
});

test("servers that are no replicas of the primary are not read from, and the log says why", async () => {
  const lines: { replica: string; reason: string }[] = [];
  const logger = pino({}, { write: (line) => void lines.push(JSON.parse(line) as (typeof lines)[number]) });
  const { host } = new URL(primary.url);
  opened({ url: primary.url.replace(host, `${host},127.0.0.1:1`) }, { logger });
  opened(replica, { logger, of: stranger });
  const expected: [string, unknown][] = [
    [host, "It is not a replica."],
    ["127.0.0.1:1", expect.stringContaining("ECONNREFUSED")],
    [new URL(replica.url).host, "It has the data of another primary."],
  ];
  for (const line of expected)
    await expect.poll(() => lines.map((one) => [one.replica, one.reason]), { timeout: 5_000 }).toContainEqual(line);
});

test("an examination says which server is the primary, or is behind", async () => {
  const { write } = opened(replica);
  const hosts = [replica, primary].map(({ url }) => new URL(url).host);
  const url = primary.url.replace(hosts[1]!, hosts.join(","));
  const examined = async () =>
    (await examineReplicas(primary.url, url)).map(({ isPrimary, fault }) => [isPrimary, fault]);
  expect(await examined()).toEqual([
    [false, undefined],
    [true, undefined],
  ]);
  await using _held = await heldBack();
  await write((trx) => insertThing(trx, CUP));
  expect(await examined()).toEqual([
    [false, "It is more than a second behind."],
    [true, undefined],
  ]);
});

test("of several servers behind one address, only the one whose position is known is read from", async () => {
  let next = replica;
  const proxy = createServer((socket) => {
    const server = connect({ host: "127.0.0.1", port: portIn(next.url) });
    for (const one of [socket, server]) one.on("error", () => {});
    socket.pipe(server).pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const { replicas } = opened({ url: replica.url.replace(String(portIn(replica.url)), String(port)) });
  await expect.poll(() => replicas!.find()).toBeDefined();
  const db = replicas!.find()!;
  expect(await portOf(db)).toBe(portIn(replica.url));
  next = stranger;
  await Promise.all([portOf(db), portOf(db)]); // needs another connection
  expect(new Set(await Promise.all([portOf(db), portOf(db)]))).toEqual(new Set([portIn(primary.url)]));
});

test("queries go to the primary soon after the replica has stopped to respond", async () => {
  const { replicas } = opened(replica);
  await expect.poll(() => replicas!.find()).toBeDefined();
  const db = replicas!.find()!;
  await portOf(db);
  const pids = withChildren(Number((await readFile(`${replica.data}/postmaster.pid`, "utf8")).split("\n")[0]));
  for (const pid of pids) process.kill(pid, "SIGSTOP");
  onTestFinished(() => {
    for (const pid of pids) process.kill(pid, "SIGCONT");
  });
  const began = performance.now();
  expect(await Promise.all([portOf(db), portOf(db)])).toEqual([portIn(primary.url), portIn(primary.url)]);
  expect(performance.now() - began).toBeLessThan(3_000);
  expect(replicas!.find()).toBeUndefined();
});

test("a query for what the replica does not have yet goes to the primary", async () => {
  const { replicas } = opened(replica);
  await expect.poll(() => replicas!.find()).toBeDefined();
  const db = replicas!.find()!;
  await using _held = await heldBack();
  await execute(primary.url, "create table novelties as select 1 as one");
  expect((await sql`select one from novelties`.execute(db)).rows).toEqual([{ one: 1 }]);
});

test("a transaction on a replica that has stopped fails, and none begins on the primary", async () => {
  const { replicas, db: own } = opened(replica);
  await expect.poll(() => replicas!.find()).toBeDefined();
  const db = replicas!.find()!;
  const reading = db.transaction().execute(async (trx) => {
    await portOf(trx);
    await replica.stop("SIGQUIT");
    await portOf(trx);
  });
  await expect(reading).rejects.toThrow(DatabaseError);
  const open = sql`select 1 from pg_stat_activity where state like 'idle in transaction%'`;
  expect((await open.execute(own)).rows).toEqual([]);
  await replica.start();
});

test("a replica with writes that the primary lost in a failover is not read from", { timeout: 60_000 }, async () => {
  await using servers = new AsyncDisposableStack();
  const [former, next, ahead] = await Promise.all([startPostgres(), startPostgres(), startPostgres()]);
  for (const server of [former, next, ahead]) servers.use(server);
  for (const server of [next, ahead]) {
    await server.stop();
    await follow(server, former);
  }
  const db = openDatabase<Tables>(former.url);
  await migrate(db, MIGRATIONS);
  await db.destroy();
  const hosts = [former, next].map(({ url }) => new URL(url).host);
  const url = former.url.replace(hosts[0]!, hosts.join(","));
  const { replicas, write } = opened(ahead, { of: { url } });
  await expect.poll(() => replicas!.find()).toBeDefined();
  await next.stop();
  const valueOf = async (server: PostgresServer, value: string) =>
    (await rowsOf<{ value: string }>(server.url, `select ${value}::text as value`))[0]!.value;
  await execute(former.url, "select pg_logical_emit_message(true, '', repeat('x', 100000))");
  const lost = await valueOf(former, "pg_current_wal_lsn()");
  await expect.poll(() => valueOf(ahead, "pg_last_wal_replay_lsn()")).toBe(lost);
  await former.stop("SIGKILL");
  await next.start();
  await execute(next.url, "select pg_promote()");
  const isBehind = `(pg_current_wal_lsn() < '${lost}')`;
  let last = "";
  const insert = () =>
    write(
      (trx) => insertThing(trx, CUP),
      undefined,
      (token) => (last = token),
    );
  await expect.poll(() => insert().catch(() => undefined)).toBeDefined();
  expect(replicas!.find(last)).toBeUndefined();
  const processes = "(select count(*) from pg_stat_activity where query like '%timeline%' and pid <> pg_backend_pid())";
  await expect.poll(() => valueOf(next, processes)).toBe("1");
  const { replicas: ofNewProcess } = opened(ahead, { of: next });
  await expect.poll(() => valueOf(next, processes), { interval: 5 }).toBe("2"); // its first sample is before the lost position
  expect(await valueOf(next, isBehind)).toBe("true");
  await execute(next.url, "select pg_logical_emit_message(true, '', repeat('x', 200000))");
  expect(await valueOf(next, isBehind)).toBe("false");
  const found = new Set<unknown>();
  await expect.poll(() => replicas!.find()).toBeUndefined(); // without a token, what was current a second ago may be read
  for (const end = performance.now() + 1_500; performance.now() < end; await setTimeout(50))
    found.add(replicas!.find()).add(ofNewProcess!.find());
  expect(found).toEqual(new Set([undefined]));
});

/** Keeps the replica from replaying until the end of the block. */
async function heldBack(): Promise<AsyncDisposable> {
  await execute(replica.url, "select pg_wal_replay_pause()");
  return { [Symbol.asyncDispose]: () => execute(replica.url, "select pg_wal_replay_resume()") };
}

/** Opens the storage of a primary with replicas. */
function opened(
  { url }: { url: string },
  { logger = pino({ level: "silent" }), of = primary }: { logger?: Logger; of?: { url: string } } = {},
): Storage<Tables> {
  const storage = openStorage<Tables>(of.url, { replicas: { url, logger } });
  onTestFinished(() => storage.destroy());
  return storage;
}

async function portOf(db: Storage<Tables>["db"]): Promise<number> {
  const { rows } = await sql<{ port: number }>`select inet_server_port() as port`.execute(db);
  return rows[0]!.port;
}

function portIn(url: string): number {
  return Number(new URL(url).port);
}
