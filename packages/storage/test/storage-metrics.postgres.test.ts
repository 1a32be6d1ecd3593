import { METRICS_PREFIX } from "@platform/command-line/name";
import { sql } from "kysely";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { addStorageMetrics } from "../src/storage-metrics.ts";
import { temporaryStorage } from "./things.ts";

test("the metrics of connections show those in use and the queries that wait for one", async () => {
  const storage = await temporaryStorage();
  const registry = new Registry();
  addStorageMetrics(registry, storage.url);
  const counts = async () => {
    const values = Array.from(
      (await registry.metrics()).matchAll(new RegExp(`^${METRICS_PREFIX}_connections_(\\w+) (\\d+)$`, "gm")),
    );
    return Object.fromEntries(values.map(([, name, value]) => [name, Number(value)]));
  };
  await sql`select 1`.execute(storage.db);
  await expect.poll(counts).toMatchObject({ used: 0, waiting: 0 });
  const { limit } = await counts();
  const sleeping = Array.from({ length: 13 }, () => sql`select pg_sleep(1)`.execute(storage.db));
  await expect.poll(counts, { interval: 20 }).toEqual({ used: 10, limit, waiting: 3 });
  await Promise.all(sleeping);
  await expect.poll(counts).toMatchObject({ used: 0, waiting: 0 });
});
