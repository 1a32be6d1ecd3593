import {
  createDatabase,
  type PostgresServer,
  postgresUnavailable,
  startPostgres,
} from "@platform/test-support/postgres";
import { needsTool } from "@platform/test-support/machine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startService } from "./start.ts";
import { everyThing, startLoad } from "./load.ts";

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
