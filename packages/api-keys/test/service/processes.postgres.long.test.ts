import { migrate } from "@openapi-operations/storage/migrations";
import { temporaryUrl } from "@openapi-operations/storage/testing";
import { needsTool } from "@platform/test-support/machine";
import {
  createDatabase,
  type PostgresServer,
  postgresUnavailable,
  startPostgres,
} from "@platform/test-support/postgres";
import { temporaryFolder } from "@platform/test-support/temporary";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiKey, revokeApiKey } from "../../src/keys.repository.ts";
import { MIGRATIONS, opened } from "../tables.ts";
import { everyThing, startLoad } from "./load.ts";
import { creation, type Program, startProgram, startService } from "./start.ts";
import type { Thing } from "./things.ts";

describe("processes on one database", () => {
  describe("two processes on one database", () => {
    test("add one thing for duplicates sent to both at once", async () => {
      const { url, key } = await databaseWithKey();
      const [first, second] = [await startOn(url), await startOn(url)];
      for (let round = 0; round < 10; round++) {
        const init = creation(`Thing ${round}`, { "Idempotency-Key": `round-${round}`, ...key });
        const answers = await Promise.all(
          [first, second, first, second, first, second].map(({ baseUrl }) => fetch(`${baseUrl}/things`, init)),
        );
        expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201));
        expect(answers.filter(({ headers }) => headers.has("Idempotency-Replayed"))).toHaveLength(5);
        const things = (await Promise.all(answers.map((answer) => answer.json()))) as Thing[];
        expect(new Set(things.map(({ id }) => id)).size).toBe(1);
      }
      const stored = await everyThing((path) => fetch(second.baseUrl + path, { headers: key }));
      expect(stored.map(({ name }) => name)).toEqual(Array.from({ length: 10 }, (_, round) => `Thing ${round}`));
    });

    test("lose no acknowledged thing and add none twice if one is killed under load and clients retry at the other", async () => {
      const { url, key } = await databaseWithKey();
      const [doomed, other] = [await startOn(url), await startOn(url)];
      const servers = [doomed, other];
      let turn = 0;
      const load = startLoad(8, ({ headers, ...init }) => {
        const { baseUrl } = servers[turn++ % servers.length]!;
        return fetch(`${baseUrl}/things`, { ...init, headers: { ...(headers as Record<string, string>), ...key } });
      });
      await load.until(150, ({ status }) => status === 201);
      await doomed.stop("SIGKILL");
      await load.until(150, ({ status }) => status === 201);
      const attempts = await load.stop();
      expect(attempts.some(({ status }) => status === undefined)).toBe(true);

      const stored = await everyThing((path) => fetch(other.baseUrl + path, { headers: key }));
      const acknowledged = attempts.flatMap(({ thing }) => (thing === undefined ? [] : [thing]));
      expect(acknowledged.length).toBeGreaterThanOrEqual(300);
      expect(new Set(stored.map(({ name }) => name)).size).toBe(stored.length);
      const storedById = new Map(stored.map((thing) => [thing.id, thing]));
      expect(acknowledged.map(({ id }) => storedById.get(id))).toEqual(acknowledged);
    });
  });

  async function databaseWithKey(): Promise<{ url: string; key: { Authorization: string } }> {
    const url = await temporaryUrl();
    const db = opened(url);
    await migrate(db, MIGRATIONS);
    const { key } = await createApiKey(db, { name: "test", environment: "production" });
    return { url, key: { Authorization: `Bearer ${key}` } };
  }

  async function startOn(DATABASE_URL: string): Promise<Program> {
    return startProgram(await temporaryFolder(), { DATABASE_URL, THINGS_ENV: "production" });
  }
});

describe("a cluster", () => {
  test("processes of one service on PostgreSQL see each other's writes and revocations from the next request on", async () => {
    const DATABASE_URL = await temporaryUrl();
    const db = opened(DATABASE_URL);
    await migrate(db, MIGRATIONS);
    const { id, key } = await createApiKey(db, { name: "test", environment: "production" });
    const env = { DATABASE_URL, THINGS_ENV: "production", WEB_CONCURRENCY: "3" };
    const program = await startProgram(await temporaryFolder(), env);
    const headers = { Authorization: `Bearer ${key}`, Connection: "close" }; // each connection goes to the next process
    const statuses = async () => {
      const answers = [];
      for (let process = 0; process < 3; process++)
        answers.push(await fetch(`${program.baseUrl}/things/1`, { headers }));
      return answers.map(({ status }) => status);
    };
    const created = await fetch(`${program.baseUrl}/things`, creation("Rex", headers));
    expect(created.status).toBe(201);
    expect(await statuses()).toEqual([200, 200, 200]);
    await revokeApiKey(db, id);
    expect(await statuses()).toEqual([401, 401, 401]);
    const pids = () => new Set(program.output().match(/"pid":\d+/g));
    await expect.poll(() => pids().size).toBe(3);
    expect(await program.stop()).toBe(0);
  });
});

/** The tests must not stop the server of TEST_DATABASE_URL. */
const absence = await postgresUnavailable();

let server: PostgresServer | undefined;
beforeAll(async () => void (server = absence === undefined ? await startPostgres() : undefined));
afterAll(() => server?.[Symbol.asyncDispose]());

test.for([
  ["is shut down", "SIGINT"],
  ["crashes", "SIGQUIT"],
] as const)(
  "PostgreSQL %s under load: requests get 503, succeed within 5 s of its return, and lose no acknowledged write",
  async ([, signal], context) => {
    needsTool(context, absence);
    const { url } = await createDatabase(server!.url);
    await using service = await startService({ DATABASE_URL: url });
    const load = startLoad(8, (init) => service.request("/things", init));

    await load.until(100, ({ status }) => status === 201);
    await server!.stop(signal);
    await load.until(100, ({ status }) => status === 503);
    await server!.start();
    const back = performance.now();
    await load.until(300, ({ status }) => status === 201);
    const attempts = await load.stop();

    expect(new Set(attempts.map(({ status }) => status))).toEqual(new Set([201, 503]));
    const failures = attempts.filter(({ status }) => status === 503);
    expect(Math.max(...failures.map(({ start, end }) => end - start))).toBeLessThan(2_500);
    expect(Math.max(...failures.map(({ end }) => end)) - back).toBeLessThan(5_000);

    const stored = await everyThing(service.request);
    const acknowledged = attempts.flatMap(({ thing }) => (thing === undefined ? [] : [thing]));
    expect(new Set(stored.map(({ name }) => name)).size).toBe(stored.length);
    expect(new Map(stored.map((thing) => [thing.id, thing]))).toEqual(
      new Map(acknowledged.map((thing) => [thing.id, thing])),
    );
  },
);
