import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { SERVICE } from "../../src/name.ts";
import { temporaryFolder } from "@platform/test-support/temporary";
import { needsTool } from "@platform/test-support/machine";
import { expect, test, type TestContext } from "vitest";
import { parse } from "yaml";

const RULES = resolve(import.meta.dirname, "../../monitoring/alerts.yaml");
const DASHBOARD = resolve(import.meta.dirname, "../../monitoring/dashboard.json");

/** The fields of the rules that the tests read. */
interface Rules {
  groups: { rules: { alert?: string; expr: string; labels?: object; annotations?: object }[] }[];
}

/** The fields of the dashboard that the tests read. */
interface Dashboard {
  uid: string;
  title: string;
  panels: {
    id: number;
    title: string;
    type: string;
    gridPos: { x: number; y: number; w: number; h: number };
    targets: { refId: string; expr: string }[];
  }[];
}

/** Samples by series, one each minute, in the notation of promtool: `0+60x10` is 0, 60 … 600. */
type Series = Readonly<Record<string, string>>;

/** A case: its duration, series that differ from the healthy service, and the alerts that fire, by the labels that they keep. */
interface Case {
  minutes: number;
  series: Series;
  fire: Record<string, object>;
}

const alerts = (parse(readFileSync(RULES, "utf8")) as Rules).groups
  .flatMap(({ rules }) => rules)
  .filter(({ alert }) => alert !== undefined);
const dashboard = JSON.parse(readFileSync(DASHBOARD, "utf8")) as Dashboard;

const MIB = 2 ** 20;
const JOB = { job: SERVICE.name };
const INSTANCE = { ...JOB, instance: "a" };
const OWN = `job="${SERVICE.name}", instance="a"`;
const requests = (status: number | string, operation = "read") =>
  `http_requests_total{${OWN}, operation_id="${operation}", status="${status}"}`;
const bucket = (bound: string, operation = "read") =>
  `http_request_duration_seconds_bucket{${OWN}, operation_id="${operation}", le="${bound}"}`;

/** A service with 10 requests per second, of which one in two thousand fails, and a disk that fills slowly. */
const HEALTHY: Series = {
  [`up{${OWN}}`]: "1x90",
  [`petstore_ready{${OWN}}`]: "1x90",
  [`process_start_time_seconds{${OWN}}`]: "1000x90",
  [`petstore_processes_replaced_total{${OWN}}`]: "0x90",
  [requests(200)]: "0+600x90",
  [requests(503)]: "0+0.3x90",
  [requests(501)]: "0+60x90",
  [requests(503, "probe")]: "0+600x90",
  [bucket("0.1")]: "0+600x90",
  [bucket("1")]: "0+600x90",
  [bucket("2.5")]: "0+600x90",
  [bucket("+Inf")]: "0+600x90",
  [bucket("1", "probe")]: "0x90",
  [bucket("+Inf", "probe")]: "0+600x90",
  [`http_requests_in_flight{${OWN}}`]: "700x90",
  [`http_requests_in_flight_limit{${OWN}}`]: "1000x90",
  [`petstore_connections_waiting{${OWN}}`]: "0 3 0 0x90",
  [`nodejs_eventloop_lag_p99_seconds{${OWN}}`]: "0.02x90",
  [`nodejs_heap_size_used_bytes{${OWN}}`]: `${300 * MIB}x90`,
  [`nodejs_heap_size_limit_bytes{${OWN}}`]: `${400 * MIB}x90`,
  [`petstore_database_bytes{${OWN}}`]: `${100 * MIB}x90`,
  [`petstore_disk_free_bytes{${OWN}}`]: `${1_000 * MIB}-${MIB / 10}x90`,
  [`petstore_backup_age_seconds{${OWN}}`]: "3600x90",
};

const CASES: Record<string, Case> = {
  "a healthy service": {
    minutes: 90,
    series: { [`petstore_contract_violations_total{${OWN}, operation_id="read"}`]: "3x90" },
    fire: {},
  },
  "PostgreSQL, and no backups": {
    minutes: 90,
    series: without("petstore_database_bytes", "petstore_disk_free_bytes", "petstore_backup_age_seconds"),
    fire: {},
  },
  "a service that does not answer": {
    minutes: 10,
    series: { [`up{${OWN}}`]: "1x5 0x90" },
    fire: { PetstoreDown: INSTANCE },
  },
  "a scrape that fails once": { minutes: 6, series: { [`up{${OWN}}`]: "1x5 0 1x90" }, fire: {} },
  "a service that Prometheus does not know": { minutes: 5, series: without("up"), fire: { PetstoreDown: JOB } },
  "a service that is not ready": {
    minutes: 5,
    series: { [`petstore_ready{${OWN}}`]: "0x90" },
    fire: { PetstoreNotReady: INSTANCE },
  },
  "a service that starts": { minutes: 1, series: { [`petstore_ready{${OWN}}`]: "0 1x90" }, fire: {} },
  "three starts in a quarter of an hour": {
    minutes: 15,
    series: { [`process_start_time_seconds{${OWN}}`]: "1000 1000 2000 3000 4000x90" },
    fire: { PetstoreRestarts: INSTANCE },
  },
  "two starts": {
    minutes: 15,
    series: { [`process_start_time_seconds{${OWN}}`]: "1000 1000 2000 3000x90" },
    fire: {},
  },
  "three processes replaced": {
    minutes: 14,
    series: { [`petstore_processes_replaced_total{${OWN}}`]: "0 0 1 2 3x90" },
    fire: { PetstoreRestarts: INSTANCE },
  },
  "an outage of five minutes": {
    minutes: 64,
    series: { [requests(503)]: "0x59 0+600x90" },
    fire: { PetstoreErrorsFast: JOB, PetstoreErrorsSlow: JOB },
  },
  "an outage that is over": {
    minutes: 75,
    series: { [requests(503)]: "0x59 0+600x3 1800x90" },
    fire: { PetstoreErrorsSlow: JOB },
  },
  "one request in a hundred fails for hours": {
    minutes: 90,
    series: { [requests(503)]: "0+6x90" },
    fire: { PetstoreErrorsSlow: JOB },
  },
  "slow requests": {
    minutes: 20,
    series: { [bucket("0.1")]: "0+590x90", [bucket("1")]: "0+590x90" },
    fire: { PetstoreSlow: JOB },
  },
  "a service near its limit of requests": {
    minutes: 10,
    series: { [`http_requests_in_flight{${OWN}}`]: "900x90" },
    fire: { PetstoreOverloaded: INSTANCE },
  },
  "queries that wait for connections": {
    minutes: 10,
    series: { [`petstore_connections_waiting{${OWN}}`]: "1x90" },
    fire: { PetstoreConnectionsExhausted: INSTANCE },
  },
  "a blocked event loop": {
    minutes: 20,
    series: { [`nodejs_eventloop_lag_p99_seconds{${OWN}}`]: "0.3x90" },
    fire: { PetstoreEventLoopBlocked: INSTANCE },
  },
  "a heap that is nearly full": {
    minutes: 20,
    series: { [`nodejs_heap_size_used_bytes{${OWN}}`]: `${350 * MIB}x90` },
    fire: { PetstoreMemoryHigh: INSTANCE },
  },
  "a disk without room for a copy": {
    minutes: 40,
    series: { [`petstore_disk_free_bytes{${OWN}}`]: `${199 * MIB}x90` },
    fire: { PetstoreDiskLow: INSTANCE },
  },
  "a disk that is full within a day": {
    minutes: 60,
    series: { [`petstore_disk_free_bytes{${OWN}}`]: `${1_000 * MIB}-${MIB}x90` },
    fire: { PetstoreDiskLow: INSTANCE },
  },
  "an old backup": {
    minutes: 20,
    series: { [`petstore_backup_age_seconds{${OWN}}`]: "7201x90" },
    fire: { PetstoreBackupOld: INSTANCE },
  },
  "the first response that breaks the contract": {
    minutes: 70,
    series: { [`petstore_contract_violations_total{${OWN}, operation_id="write"}`]: "_x60 1x90" },
    fire: { PetstoreContractViolations: { ...INSTANCE, operation_id: "write" } },
  },
  "another such response": {
    minutes: 80,
    series: { [`petstore_contract_violations_total{${OWN}, operation_id="read"}`]: "3x59 4x90" },
    fire: { PetstoreContractViolations: { ...INSTANCE, operation_id: "read" } },
  },
};

/** The healthy series of metrics, as if the service did not have them. */
function without(...metrics: string[]): Series {
  const names = Object.keys(HEALTHY).filter((name) => metrics.some((metric) => name.startsWith(`${metric}{`)));
  return Object.fromEntries(names.map((name) => [name, "_x90"]));
}

/** Runs promtool and returns what it reports, or `valid`. Skips the test where promtool is missing. */
function promtool(context: TestContext, ...words: string[]): string {
  const { status, error, stdout, stderr } = spawnSync("promtool", words, { encoding: "utf8" });
  needsTool(context, error && `promtool cannot be run (${error.message}); it comes from Prometheus`);
  return status === 0 ? "valid" : stdout + stderr;
}

test("the alert rules are valid", (context) => {
  expect(promtool(context, "check", "rules", RULES)).toBe("valid");
});

test("each alert fires in its case, and no other does", async (context) => {
  const tests = Object.entries(CASES).map(([name, { minutes, series, fire }]) => ({
    name,
    interval: "1m",
    input_series: Object.entries({ ...HEALTHY, ...series }).map(([own, values]) => ({ series: own, values })),
    alert_rule_test: alerts.map(({ alert, labels, annotations }) => ({
      eval_time: `${minutes}m`,
      alertname: alert,
      exp_alerts:
        fire[alert!] === undefined
          ? []
          : [{ exp_labels: { ...fire[alert!], ...labels }, exp_annotations: annotations }],
    })),
  }));
  const file = join(await temporaryFolder(), "tests.yaml");
  writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: "1m", tests })); // JSON is YAML
  expect(promtool(context, "test", "rules", file)).toBe("valid");
});

test("each alert has a case in which it fires, a severity and a runbook", () => {
  const fired = new Set(Object.values(CASES).flatMap(({ fire }) => Object.keys(fire)));
  expect(alerts.map(({ alert }) => alert!).toSorted()).toEqual([...fired].toSorted());
  for (const { labels, annotations } of alerts) {
    expect(labels).toEqual({ severity: expect.stringMatching(/^(page|ticket)$/) });
    expect(annotations).toMatchObject({ runbook: "docs/troubleshooting.md#alerts" });
  }
});

test("the dashboard's queries are valid, and its panels have their own places", async (context) => {
  const { panels } = dashboard;
  expect(panels.length).toBeGreaterThan(10);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  const taken = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
  );
  expect(new Set(taken).size).toBe(taken.length);
  expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
  const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const rules = queries.map((expr, at) => ({
    record: `query_${at}`,
    expr: expr.replaceAll("$job", SERVICE.name).replaceAll("$__rate_interval", "1m"),
  }));
  const file = join(await temporaryFolder(), "queries.yaml");
  writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
  expect(promtool(context, "check", "rules", file)).toBe("valid");
});
