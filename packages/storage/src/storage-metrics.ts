import { stat } from "node:fs/promises";
import { METRICS_PREFIX } from "@platform/name";
import { Gauge, Histogram, type Registry } from "prom-client";
import { newestBackup } from "./maintenance/backup-folder.ts";
import type { OnCommit } from "./storage.ts";
import { isPostgresUrl, pathOfFileUrl } from "./url.ts";

/** Registers the metrics of a storage and returns the function to call on each commit. PostgreSQL has no dated backups. */
export function addStorageMetrics(registry: Registry, databaseUrl: string, backupFolder?: string): OnCommit {
  const groupSizes = new Histogram({
    name: `${METRICS_PREFIX}_commit_batch_size`,
    help: "Writes that shared one transaction.",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers: [registry],
  });
  if (!isPostgresUrl(databaseUrl)) {
    registry.registerMetric(walSize(databaseUrl));
    if (backupFolder !== undefined) registry.registerMetric(backupAge(backupFolder));
  }
  return (size) => groupSizes.observe(size);
}

function walSize(databaseUrl: string): Gauge {
  const file = `${pathOfFileUrl(databaseUrl)}-wal`;
  return new Gauge({
    name: `${METRICS_PREFIX}_wal_bytes`,
    help: "Size of the write-ahead log; it grows while a reader or a backup keeps SQLite from folding it in.",
    registers: [],
    aggregator: "max", // each process of a cluster sees the same file
    async collect() {
      this.set(
        await stat(file).then(
          ({ size }) => size,
          () => 0,
        ),
      );
    },
  });
}

function backupAge(folder: string): Gauge {
  return new Gauge({
    name: `${METRICS_PREFIX}_backup_age_seconds`,
    help: "Time since the newest dated backup, which was verified when it was made; since 1970 if there is none.",
    registers: [],
    aggregator: "max", // each process of a cluster sees the same folder
    collect() {
      const now = Date.now();
      let newest = 0;
      try {
        newest = newestBackup(folder, now)?.time ?? 0;
      } catch {
        // A missing or unreadable folder has no backup.
      }
      this.set((now - newest) / 1_000);
    },
  });
}
