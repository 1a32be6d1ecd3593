import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { SERVICE } from "../../src/name.ts";
import { isPostgresUrl } from "@openapi-operations/storage/url";
import { expect, test } from "vitest";
import { startService } from "../petstore.ts";

const FOLDER = resolve(import.meta.dirname, "../../monitoring");
const METRIC = new RegExp(`\\b(?:${SERVICE.metricsPrefix}|http|nodejs|process)_\\w+(?![\\w:])`, "g");

/** The metrics that a service on the other database has, and those of a service that makes backups. */
const OF_SQLITE = /_(database_bytes|wal_bytes|disk_free_bytes)$/;
const OF_POSTGRES = /_connections_/;
const OF_BACKUPS = /_backup_/;

test("each metric that the alert rules and the dashboard name is in /metrics of the service", async () => {
  const named = ["alerts.yaml", "dashboard.json"].flatMap((file) => [
    ...readFileSync(resolve(FOLDER, file), "utf8").matchAll(METRIC),
  ]);
  const metrics = new Set(named.map(([name]) => name.replace(/_(bucket|sum|count)$/, "")));
  expect(metrics.size).toBeGreaterThan(20);
  await using service = await startService({ METRICS_PORT: "0" });
  await fetch(new URL("/healthz", service.baseUrl));
  const text = await (await fetch(service.metricsUrl!)).text();
  const present = new Set(Array.from(text.matchAll(/^# TYPE (\w+) /gm), ([, name]) => name!));
  const ofOthers = isPostgresUrl(service.databaseUrl) ? OF_SQLITE : OF_POSTGRES;
  const missing = [...metrics].filter((name) => !present.has(name) && !ofOthers.test(name) && !OF_BACKUPS.test(name));
  expect(missing).toEqual([]);
});
