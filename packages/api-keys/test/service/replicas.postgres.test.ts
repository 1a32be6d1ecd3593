import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { createLogger } from "@openapi-operations/service/request-log";
import { openStorage } from "@openapi-operations/storage/open-storage";
import type { Storage } from "@openapi-operations/storage/storage";
import {
  createDatabase,
  execute,
  follow,
  type PostgresServer,
  rowsOf,
  startPostgres,
} from "@platform/test-support/postgres";
import type { Request } from "express";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { storageOfRequests } from "../../src/own-writes.ts";
import type { Tables } from "../tables.ts";
import { readConfig } from "./config.ts";
import { creation, startService, type TestService } from "./start.ts";
import { insertThing, type Thing } from "./things.ts";

const TOKEN = "Consistency-Token";
/** How long data may have been out of date in a response to a request without a token, in milliseconds. */
const MAX_STALENESS_MS = 1_000;

let primary: PostgresServer;
let replica: PostgresServer;

beforeAll(async () => {
  [primary, replica] = await Promise.all([startPostgres(), startPostgres()]);
  await replica.stop();
  await follow(replica, primary);
});

afterAll(() => Promise.all([primary, replica].map((server) => server[Symbol.asyncDispose]())));

test("a client sees its own writes while the replica is held back, and others see data of a second ago", async () => {
  const service = await serviceWithReplica();
  await execute(replica.url, "select pg_wal_replay_pause()");
  onTestFinished(() => execute(replica.url, "select pg_wal_replay_resume()"));
  const response = await service.request("/things", creation("Rex", { "Idempotency-Key": "one" }));
  const answeredAt = performance.now();
  const token = response.headers.get(TOKEN)!;
  const { id } = (await response.json()) as Thing;
  const statusOf = async (headers: Record<string, string>) =>
    (await service.request(`/things/${id}`, { headers })).status;
  const seen = new Set<number>();
  let staleAfter = 0;
  for (let begunAt = answeredAt; begunAt - answeredAt < 2 * MAX_STALENESS_MS; begunAt = performance.now()) {
    const [own, others] = await Promise.all([statusOf({ [TOKEN]: token }), statusOf({})]);
    expect(own).toBe(200);
    if (others === 404) staleAfter = begunAt - answeredAt;
    seen.add(others);
  }
  expect(seen).toEqual(new Set([404, 200]));
  expect(staleAfter).toBeLessThan(MAX_STALENESS_MS);
  const repeated = await service.request("/things", creation("Rex", { "Idempotency-Key": "one" }));
  expect(repeated.headers.get("Idempotency-Replayed")).toBe("true");
  expect(repeated.headers.get(TOKEN)! > token).toBe(true);
});

test("a revoked key ends at the next request, though the replica is held back", async () => {
  const service = await serviceWithReplica();
  await execute(replica.url, "select pg_wal_replay_pause()");
  onTestFinished(() => execute(replica.url, "select pg_wal_replay_resume()"));
  await execute(service.databaseUrl, "update api_keys set revoked_at = 1");
  expect((await service.request("/things")).status).toBe(401);
});

test("no request fails while the replica is killed under load and comes back", { timeout: 30_000 }, async () => {
  const service = await serviceWithReplica();
  const over = new AbortController();
  const statuses = new Set<number>();
  const reader = async (): Promise<void> => {
    while (!over.signal.aborted) statuses.add((await service.request("/things?limit=1")).status);
  };
  const reading = Array.from({ length: 4 }, reader);
  await replica.stop("SIGQUIT");
  await replica.start();
  await untilRead(service);
  over.abort();
  await Promise.all(reading);
  expect(statuses).toEqual(new Set([200]));
});

test("a POST reads from the primary, as does a GET that writes, or lasts longer than its replica keeps up", async () => {
  const { databaseUrl } = await serviceWithReplica();
  const logger = createLogger("silent");
  const storage = openStorage<Tables>(databaseUrl, { replicas: { url: onReplica(databaseUrl), logger } });
  onTestFinished(() => storage.destroy());
  await expect.poll(() => storage.replicas!.find()).toBeDefined();
  const contextOf = storageOfRequests(storage) as (request: Request) => Storage<Tables>;
  const request = (method = "GET", token?: string) => {
    const headers = token === undefined ? {} : { "consistency-token": token };
    const incoming = Object.assign(new IncomingMessage(new Socket()), { method, headers });
    const res = new ServerResponse(incoming);
    res.writeHead(200); // as for a stream
    return Object.assign(incoming, { res }) as unknown as Request;
  };
  const [reading, writing] = [contextOf(request()), contextOf(request())];
  expect(contextOf(request("POST")).db).toBe(storage.db);
  expect(contextOf(request("GET", "0".repeat(24))).db).not.toBe(storage.db);
  for (const token of ["", "0", "0".repeat(16), `${"0".repeat(24)}, ${"f".repeat(24)}`])
    expect(contextOf(request("GET", token)).db).toBe(storage.db);
  expect([reading.db === storage.db, writing.db === storage.db]).toEqual([false, false]);
  await writing.write(async (trx) => void (await insertThing(trx, { name: "cup" })));
  expect([reading.db === storage.db, writing.db === storage.db]).toEqual([false, true]);
  await execute(replica.url, "select pg_wal_replay_pause()");
  onTestFinished(() => execute(replica.url, "select pg_wal_replay_resume()"));
  await storage.write((trx) => insertThing(trx, { name: "cup" }));
  await expect.poll(() => reading.db === storage.db).toBe(true);
});

test.for(["f".repeat(24), "f".repeat(16), "zzz", "!", "0, ffffffffffffffff", "x".repeat(4_000)])(
  "a made-up token gets the same response: %#",
  async (token) => {
    const service = await serviceWithReplica();
    const response = await service.request("/things", { headers: { [TOKEN]: token } });
    expect([response.status, await response.json()]).toEqual([200, []]);
  },
);

test("DATABASE_URL_READ needs a PostgreSQL database, and names one", () => {
  const url = "postgres://one/things";
  const read = (database: string, replicas: string) => () =>
    readConfig({ DATABASE_URL: database, DATABASE_URL_READ: replicas });
  expect(read("file:a.db", url)).toThrow(/A SQLite file has no replicas/);
  for (const wrong of ["file:b.db", `${url}?target_session_attrs=read-write`])
    expect(read(url, wrong)).toThrow(/^DATABASE_URL_READ must name/);
});

/** Starts a service on a new database of the primary that reads from the replica. */
async function serviceWithReplica(): Promise<TestService> {
  const database = await createDatabase(primary.url);
  onTestFinished(database.drop);
  const service = await startService({ DATABASE_URL: database.url, DATABASE_URL_READ: onReplica(database.url) });
  onTestFinished(() => service[Symbol.asyncDispose]());
  await untilRead(service);
  return service;
}

/** Resolves once requests read from the replica. */
async function untilRead({ databaseUrl, request }: TestService): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1);
  const reads = `select 1 from pg_stat_activity where datname = '${name}' and query like 'select % from "things"%'`;
  await expect
    .poll(
      async () => {
        await request("/things?limit=1");
        return rowsOf(replica.url, reads);
      },
      { timeout: 10_000 },
    )
    .not.toEqual([]);
}

function onReplica(url: string): string {
  return Object.assign(new URL(replica.url), { pathname: new URL(url).pathname }).href;
}
