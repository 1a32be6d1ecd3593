import { stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { SERVICE } from "@openapi-operations/command-line/name";
import { Gauge, type GaugeConfiguration, Histogram, type Registry } from "prom-client";
import { newestBackup } from "./maintenance/backup-folder.ts";
import { replicasRead } from "./postgres/replicas.ts";
import type { OnCommit } from "./storage.ts";
import { isPostgresUrl, pathOfFileUrl } from "./url.ts";

/** Registers the metrics of a storage and returns the function to call on each commit. PostgreSQL has no dated backups. */
export function addStorageMetrics(registry: Registry, databaseUrl: string, backupFolder?: string): OnCommit {
  const groupSizes = new Histogram({
    name: `${SERVICE.metricsPrefix}_commit_batch_size`,
    help: "Writes that shared one transaction.",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers: [registry],
  });
  const gauges = isPostgresUrl(databaseUrl) ? connectionGauges() : fileGauges(pathOfFileUrl(databaseUrl), backupFolder);
  for (const each of gauges) registry.registerMetric(each);
  return (size) => groupSizes.observe(size);
}

/** Each process of a cluster sees the same files, so the aggregate is the maximum or the minimum. */
function fileGauges(path: string, backupFolder?: string): Gauge[] {
  const sizeOf = (file: string) => stat(file).then(({ size }) => size);
  return [
    gauge("database_bytes", "Size of the database file.", () => sizeOf(path), "max"),
    gauge(
      "wal_bytes",
      "Size of the write-ahead log; it grows while a reader or a backup prevents checkpoints.",
      () => sizeOf(`${path}-wal`),
      "max",
    ),
    gauge(
      "disk_free_bytes",
      "Free space on the disk of the database.",
      () => statfs(dirname(path)).then(({ bavail, bsize }) => bavail * bsize),
      "min",
    ),
    ...(backupFolder === undefined ? [] : [backupAge(backupFolder)]),
  ];
}

function backupAge(folder: string): Gauge {
  return gauge(
    "backup_age_seconds",
    "Time since the newest dated backup, which was verified when it was made; since 1970 if there is none.",
    async () => (Date.now() - newestTime(folder)) / 1_000,
    "max",
  );
}

/** Returns the time of the newest backup; 0 if there is none, or the folder cannot be read. */
function newestTime(folder: string): number {
  try {
    return newestBackup(folder, Date.now())?.time ?? 0;
  } catch {
    return 0;
  }
}

function connectionGauges(): Gauge[] {
  const counts = async () => (await import("./postgres/postgres.pool.ts")).connectionCounts();
  return [
    gauge("connections_used", "Connections to PostgreSQL in use.", async () => (await counts()).used),
    gauge("connections_limit", "The most connections that the pools open.", async () => (await counts()).limit),
    gauge(
      "connections_waiting",
      "Queries that wait for a connection, or behind others on theirs.",
      async () => (await counts()).waiting,
    ),
    gauge(
      "replicas_read",
      "Replicas that each process reads from: those that are at most a second behind.",
      async () => replicasRead(),
      "min",
    ),
  ];
}

/** Returns a gauge that is read at each scrape. It is 0 if it cannot be read. */
function gauge(
  name: string,
  help: string,
  read: () => Promise<number>,
  aggregator: NonNullable<GaugeConfiguration<string>["aggregator"]> = "sum",
): Gauge {
  return new Gauge({
    name: `${SERVICE.metricsPrefix}_${name}`,
    help,
    registers: [],
    aggregator,
    async collect() {
      this.set(await read().catch(() => 0));
    },
  });
}
