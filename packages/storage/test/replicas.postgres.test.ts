import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { execute, follow, type PostgresServer, startPostgres } from "@platform/test-support/postgres";
import { sql } from "kysely";
import pino from "pino";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { migrate } from "../src/migrations.ts";
import { openStorage } from "../src/open-storage.ts";
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
  expect(replicas!.find("ffffffffffffffff")).toBeUndefined();
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
    [host, "It is no replica."],
    ["127.0.0.1:1", expect.stringContaining("ECONNREFUSED")],
    [new URL(replica.url).host, "It has the data of another primary."],
  ];
  for (const line of expected)
    await expect.poll(() => lines.map((one) => [one.replica, one.reason]), { timeout: 5_000 }).toContainEqual(line);
});

test("an examination says how far each replica is behind, or what is wrong", async () => {
  const { write } = opened(replica);
  const hosts = [replica, primary].map(({ url }) => new URL(url).host);
  const url = primary.url.replace(hosts[1]!, hosts.join(","));
  const examined = () => examineReplicas(primary.url, url);
  await expect
    .poll(examined)
    .toEqual({ [hosts[0]!]: 0n, [hosts[1]!]: expect.objectContaining({ message: "It is no replica." }) });
  await execute(replica.url, "select pg_wal_replay_pause()");
  await write((trx) => insertThing(trx, CUP));
  expect((await examined())[hosts[0]!]).toBeGreaterThan(0n);
  await execute(replica.url, "select pg_wal_replay_resume()");
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
  next = stranger;
  expect(await portOf(replicas!.find()!)).toBe(portIn(primary.url));
});

/** Opens the storage of a primary with replicas. */
function opened({ url }: { url: string }, { logger = pino({ level: "silent" }), of = primary } = {}): Storage<Tables> {
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
