import { mkdirSync, renameSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { SERVICE } from "@openapi-operations/command-line/name";
import { temporaryFolder } from "@platform/test-support/temporary";
import { needsPosix } from "@platform/test-support/machine";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { addStorageMetrics } from "../src/storage-metrics.ts";
import { pathOfFileUrl } from "../src/url.ts";
import { insertThing, temporaryStorage } from "./things.ts";

const CUP = { name: "cup", size: 1 };

/** Creates a storage with metrics, and a function that returns them as Prometheus reads them. */
async function measured() {
  const registry = new Registry();
  let onCommit = (_size: number) => {};
  const storage = await temporaryStorage((size) => onCommit(size));
  onCommit = addStorageMetrics(registry, storage.url);
  const read = async (): Promise<Map<string, number>> => {
    const lines = (await registry.metrics()).split("\n").filter((line) => /^\w/.test(line));
    return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]));
  };
  return { storage, registry, read };
}

test("commits are counted by size, in buckets that double", async () => {
  const { storage, read } = await measured();
  await storage.write((trx) => insertThing(trx, CUP));
  await Promise.all(Array.from({ length: 3 }, () => storage.write((trx) => insertThing(trx, CUP))));
  const samples = await read();
  expect(samples.get(`${SERVICE.metricsPrefix}_commit_batch_size_sum`)).toBe(4);
  expect(samples.get(`${SERVICE.metricsPrefix}_commit_batch_size_count`)).toBe(2);
  const buckets = [...samples].filter(([name]) => name.startsWith(`${SERVICE.metricsPrefix}_commit_batch_size_b`));
  expect(buckets).toEqual(
    [1, 2, 4, 8, 16, 32, 64, 128, 256, "+Inf"].map((bound) => [
      `${SERVICE.metricsPrefix}_commit_batch_size_bucket{le="${bound}"}`,
      bound === 1 || bound === 2 ? 1 : 2,
    ]),
  );
});

test("the metric wal_bytes is the size of the write-ahead log on disk, and 0 if the log is missing", async (context) => {
  needsPosix(context, "way to rename an open database");
  const { storage, read } = await measured();
  const log = `${pathOfFileUrl(storage.url)}-wal`;
  const size = async () => (await read()).get(`${SERVICE.metricsPrefix}_wal_bytes`);
  await storage.write((trx) => insertThing(trx, CUP));
  expect(await size()).toBe(statSync(log).size);
  renameSync(log, `${log}.moved`);
  expect(await size()).toBe(0);
  renameSync(`${log}.moved`, log);
});

test("the metric backup_age_seconds is the time since the newest backup that is not in the future", async () => {
  const registry = new Registry();
  const folder = await temporaryFolder();
  addStorageMetrics(registry, "file:things.db", folder);
  const age = async () => Number(/^\w+_backup_age_seconds (.*)$/m.exec(await registry.metrics())?.[1]);
  expect(await age()).toBeCloseTo(Date.now() / 1_000, -1);
  const make = (time: number) =>
    writeFileSync(join(folder, `${SERVICE.name}.${new Date(time).toISOString().replaceAll(":", "")}.db`), "");
  for (const hours of [2, 1, -1]) make(Date.now() - hours * 3_600_000);
  expect(await age()).toBeCloseTo(3_600, -1);
  rmSync(folder, { recursive: true });
  expect(await age()).toBeCloseTo(Date.now() / 1_000, -1);
  mkdirSync(folder); // the test removes it
});

test("the metrics database_bytes and disk_free_bytes are those of the file and its disk", async () => {
  const { storage, read } = await measured();
  const file = pathOfFileUrl(storage.url);
  const samples = await read();
  expect(samples.get(`${SERVICE.metricsPrefix}_database_bytes`)).toBe(statSync(file).size);
  const { bsize, blocks } = statfsSync(dirname(file));
  expect(samples.get(`${SERVICE.metricsPrefix}_disk_free_bytes`)).toBeGreaterThan(0);
  expect(samples.get(`${SERVICE.metricsPrefix}_disk_free_bytes`)).toBeLessThanOrEqual(blocks * bsize);
});

test("the metrics have their declared types, and PostgreSQL has metrics of its connections instead of files", async () => {
  const { registry } = await measured();
  const typesOf = async (of: Registry) => (await of.metrics()).match(/^# TYPE .*/gm);
  const gauges = (...names: string[]) => names.map((name) => `# TYPE ${SERVICE.metricsPrefix}_${name} gauge`);
  const batches = `# TYPE ${SERVICE.metricsPrefix}_commit_batch_size histogram`;
  expect(await typesOf(registry)).toEqual([batches, ...gauges("database_bytes", "wal_bytes", "disk_free_bytes")]);
  const ofPostgres = new Registry();
  addStorageMetrics(ofPostgres, "postgres://localhost/petstore", "backups");
  const connections = gauges("connections_used", "connections_limit", "connections_waiting", "replicas_read");
  expect(await typesOf(ofPostgres)).toEqual([batches, ...connections]);
});
