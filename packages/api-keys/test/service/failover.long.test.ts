import { setTimeout } from "node:timers/promises";
import { createDatabase, postgresUnavailable } from "@platform/test-support/postgres";
import { needsTool } from "@platform/test-support/machine";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { creation, startService, type TestService } from "./start.ts";
import { everyThing, type Failover, isAcknowledged, reportOf, startLoad } from "./load.ts";
import { Pair } from "./pair.ts";
import { programUnavailable, startHaproxy } from "./proxies.ts";

/** `pnpm --filter @openapi-operations/api-keys test:failover` runs 20. */
const ROUNDS = Number(process.env["FAILOVER_ROUNDS"] ?? 3);
const SEED = Number(process.env["FAILOVER_SEED"] ?? Date.now() % 2 ** 31);
const WRITERS = 8;
/** When the primary is killed: after so many responses, and so many milliseconds later. */
const KILLS = fc.record({ answers: fc.integer({ min: 1, max: 200 }), milliseconds: fc.integer({ min: 0, max: 10 }) });
/** How soon after a promotion the service has to accept every request again. */
const RECOVERY_MS = 5_000;

const absence = await postgresUnavailable();

describe(`seed ${SEED}`, () => {
  beforeEach((context) => needsTool(context, absence));

  test(
    `with several hosts, ${ROUNDS} failovers lose nothing acknowledged, add nothing twice, and take less than 5 s`,
    { timeout: 60_000 + ROUNDS * 30_000 },
    async () => {
      await using pair = await Pair.start();
      await expectNothingLost(pair, pair.hosts.join(","));
    },
  );

  test(
    `with HAProxy, ${ROUNDS} failovers lose nothing acknowledged, add nothing twice, and take less than 5 s`,
    { timeout: 60_000 + ROUNDS * 30_000 },
    async (context) => {
      needsTool(context, programUnavailable("haproxy"));
      await using pair = await Pair.start();
      await using proxy = await startHaproxy(pair.hosts);
      await expectNothingLost(pair, proxy.host);
    },
  );

  test("the same harness finds what an asynchronous standby loses", { timeout: 120_000 }, async () => {
    await using pair = await Pair.start();
    await using service = await serviceOn(pair, pair.hosts.join(","));
    const { lost } = await failOver(pair, service, 1, () => pair.disconnect());
    expect(lost).toBeGreaterThan(0);
  });

  test(
    "no write is acknowledged without the synchronous standby, and its repetition adds one thing",
    { timeout: 120_000 },
    async () => {
      await using pair = await Pair.start();
      await using service = await serviceOn(pair, pair.hosts.join(","));
      await pair.synchronize();
      await pair.disconnect();
      const names = ["Rex", "Tom", "Kim"];
      const add = async (name: string): Promise<number> =>
        (await service.request("/things", creation(name, { "Idempotency-Key": name }))).status;
      expect(await Promise.all(names.map(add))).toEqual([503, 503, 503]);
      await pair.reconnect();
      for (const name of names) await expect.poll(() => add(name)).toBe(201);
      expect((await everyThing(service.request)).map(({ name }) => name).toSorted()).toEqual(names.toSorted());
    },
  );
});

/** Starts the service on a new database of the pair, at an address. */
async function serviceOn(pair: Pair, hosts: string): Promise<TestService> {
  const { url } = await createDatabase(pair.url);
  return startService({ DATABASE_URL: url.replace(new URL(url).host, hosts) });
}

async function expectNothingLost(pair: Pair, hosts: string): Promise<void> {
  await using service = await serviceOn(pair, hosts);
  const report = await failOver(pair, service, ROUNDS, () => pair.synchronize());
  console.log({ failovers: ROUNDS, seed: SEED, ...report });
  expect(report).toMatchObject({ lost: 0, twice: 0 });
  expect(report.slowest).toBeLessThan(RECOVERY_MS);
}

/** Kills the primary and promotes the standby under writers, so many times. `prepare` sets how the standby follows. */
async function failOver(pair: Pair, service: TestService, rounds: number, prepare: () => Promise<void>) {
  const readiness = async (): Promise<number> => (await fetch(new URL("/readyz", service.baseUrl))).status;
  const failovers: Failover[] = [];
  const load = startLoad(WRITERS, (init) => service.request("/things", init));
  for (const { answers, milliseconds } of fc.sample(KILLS, { seed: SEED, numRuns: rounds })) {
    await prepare();
    await load.until(answers, isAcknowledged);
    await setTimeout(milliseconds);
    await pair.killPrimary();
    await load.until(WRITERS, ({ status }) => status === 503);
    expect(await readiness()).toBe(503);
    const failover = { promoted: performance.now(), next: Infinity };
    failovers.push(failover);
    await pair.promote();
    await load.until(WRITERS, isAcknowledged);
    await expect.poll(readiness).toBe(200);
    await pair.restoreStandby();
    failover.next = performance.now();
  }
  const attempts = await load.stop();
  expect(new Set(attempts.map(({ status }) => status))).toEqual(new Set([201, 503]));
  return reportOf(attempts, failovers, await everyThing(service.request));
}
