import { renameSync, statSync } from "node:fs";
import { listenForMetrics } from "@platform/service/metrics";
import { createLogger } from "@platform/service/request-log";
import { pathOfFileUrl } from "@platform/storage/url";
import Sqlite from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { expectError, json, startService, type TestService } from "../../testing/service.ts";

describe("/metrics", () => {
  let service: TestService;
  beforeAll(async () => void (service = await startService({ METRICS_PORT: "0" })));
  afterAll(() => service[Symbol.asyncDispose]());

  const read = async (): Promise<string> => (await fetch(service.metricsUrl!)).text();
  /** The value of a sample such as `name{label="x"}`; a sample that is not there counts as 0. */
  const valueOf = async (sample: string): Promise<number> => {
    const line = (await read()).split("\n").find((text) => text.startsWith(`${sample} `));
    return Number(line?.slice(sample.length + 1) ?? 0);
  };

  test("is text for Prometheus on a port of its own, and not on the service's", async () => {
    const response = await fetch(service.metricsUrl!);
    expect(response.headers.get("Content-Type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(new URL(service.metricsUrl!).port).not.toBe(new URL(service.baseUrl).port);
    await expectError(await fetch(new URL("/metrics", service.baseUrl)), 404, "not_found");
    await expectError(await fetch(new URL("/", service.metricsUrl)), 404, "not_found");
  });

  test("is only read: any other method gets 405 with Allow", async () => {
    const response = await fetch(service.metricsUrl!, { method: "POST" });
    await expectError(response, 405, "method_not_allowed");
    expect(response.headers.get("Allow")).toBe("GET, HEAD, OPTIONS");
    const head = await fetch(service.metricsUrl!, { method: "HEAD" });
    expect({ status: head.status, text: await head.text() }).toEqual({ status: 200, text: "" });
  });

  test("that cannot be read are a fault, which is logged", async () => {
    let logged = "";
    const logger = createLogger("info", { write: (line) => void (logged += line) });
    const reading = () => Promise.reject(new Error("no answer from a process"));
    const listener = await listenForMetrics(reading, { host: "127.0.0.1", port: 0 }, logger);
    onTestFinished(async () => void (await listener.close()));
    await expectError(await fetch(`${listener.origin}/metrics`), 500, "internal_error");
    expect(logged).toContain("no answer from a process");
  });

  test("counts requests by operationId and status, and times them", async () => {
    await service.addPet();
    for (const path of ["/pets/1", "/pets/1", "/pets/404", "/nope"]) await service.request(path);
    await expect.poll(() => valueOf('http_requests_total{operation_id="getPet",status="200"}')).toBe(2);
    expect(await valueOf('http_requests_total{operation_id="getPet",status="404"}')).toBe(1);
    expect(await valueOf('http_requests_total{operation_id="createPet",status="201"}')).toBe(1);
    expect(await valueOf('http_requests_total{operation_id="none",status="404"}')).toBeGreaterThan(0);
    expect(await valueOf('http_request_duration_seconds_count{operation_id="getPet"}')).toBe(3);
    expect(await valueOf('http_request_duration_seconds_bucket{le="+Inf",operation_id="getPet"}')).toBe(3);
  });

  test("shows what is in flight, and the size of commits once they are done", async () => {
    const [writes, groups] = [
      await valueOf("petstore_commit_batch_size_sum"),
      await valueOf("petstore_commit_batch_size_count"),
    ];
    const other = new Sqlite(pathOfFileUrl(service.databaseUrl));
    other.exec("begin immediate");
    const waiting = Array.from({ length: 20 }, () => service.addPet());
    await expect.poll(() => valueOf("http_requests_in_flight")).toBe(20);
    other.exec("rollback").close();
    await Promise.all(waiting);
    await expect.poll(() => valueOf("http_requests_in_flight")).toBe(0);
    const added = (await valueOf("petstore_commit_batch_size_sum")) - writes;
    expect([20, 21]).toContain(added); // the last use of the key may be saved with them, 3 s after the first
    expect((await valueOf("petstore_commit_batch_size_count")) - groups).toBeLessThan(20);
  });

  test("tells the size of the write-ahead log and the lag of the event loop", async () => {
    await service.addPet();
    expect(await valueOf("petstore_wal_bytes")).toBeGreaterThan(4096);
    expect(await read()).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
  });

  test("says that one process serves, whose metrics these are", async () => {
    expect(await valueOf("petstore_processes")).toBe(1);
    expect(await valueOf("petstore_processes_answered")).toBe(1);
  });

  test("counts answers that break the contract", async () => {
    const { id } = await service.addPet();
    const other = new Sqlite(pathOfFileUrl(service.databaseUrl));
    other.prepare("update pets set name = '' where id = ?").run(id);
    other.close();
    await expectError(await service.request(`/pets/${id}`), 500, "internal_error");
    expect(await valueOf('petstore_contract_violations_total{operation_id="getPet"}')).toBe(1);
  });

  test("names no key and no animal", async () => {
    await service.request("/pets", json({ name: "Canary", categoryId: 1 }));
    expect(await read()).not.toMatch(/pst_|Canary/);
  });
});

describe("a sample's value", () => {
  const samplesOf = async ({ metricsUrl }: TestService): Promise<Map<string, number>> => {
    const lines = (await (await fetch(metricsUrl!)).text()).split("\n").filter((line) => /^\w/.test(line));
    return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]));
  };

  test("is the time that a request took, in seconds, in the bucket it belongs to", async () => {
    await using service = await startService({ METRICS_PORT: "0" });
    const other = new Sqlite(pathOfFileUrl(service.databaseUrl)).exec("begin immediate");
    const began = performance.now();
    const adding = service.addPet();
    const inFlight = async () => (await samplesOf(service)).get("http_requests_in_flight");
    await expect.poll(inFlight).toBe(1);
    const held = performance.now();
    await inFlight();
    const least = (performance.now() - held) / 1_000;
    other.exec("rollback").close();
    await adding;
    await expect.poll(inFlight).toBe(0);
    const most = (performance.now() - began) / 1_000;

    const samples = await samplesOf(service);
    const seconds = samples.get('http_request_duration_seconds_sum{operation_id="createPet"}')!;
    expect(seconds).toBeGreaterThanOrEqual(least);
    expect(seconds).toBeLessThanOrEqual(most);
    for (const bound of [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]) {
      const bucket = `http_request_duration_seconds_bucket{le="${bound}",operation_id="createPet"}`;
      expect([bucket, samples.get(bucket)]).toEqual([bucket, seconds <= bound ? 1 : 0]);
    }
  });

  test("is of the status, and of no status where the client had gone before there was one", async () => {
    await using service = await startService({ METRICS_PORT: "0" });
    const requests = async () =>
      new Map([...(await samplesOf(service))].filter(([name]) => name.startsWith("http_requests_total")));
    for (const path of ["/healthz", "/nope"]) await fetch(new URL(path, service.baseUrl));
    await service.request("/pets?limit=0");
    const other = new Sqlite(pathOfFileUrl(service.databaseUrl)).exec("begin immediate");
    const leaving = new AbortController();
    const left = service.request("/pets", { ...json({ name: "Rex", categoryId: 1 }), signal: leaving.signal });
    await expect.poll(async () => (await samplesOf(service)).get("http_requests_in_flight")).toBe(1);
    leaving.abort();
    await expect(left).rejects.toThrow("aborted");
    await expect.poll(async () => (await requests()).size).toBe(4);
    other.exec("rollback").close();
    expect(Object.fromEntries(await requests())).toEqual({
      'http_requests_total{operation_id="none",status="200"}': 1,
      'http_requests_total{operation_id="none",status="404"}': 1,
      'http_requests_total{operation_id="listPets",status="400"}': 1,
      'http_requests_total{operation_id="createPet",status="aborted"}': 1,
    });
  });

  test("is the size of the write-ahead log as it lies on the disk, and 0 where there is none", async () => {
    await using service = await startService({ METRICS_PORT: "0" });
    const log = `${pathOfFileUrl(service.databaseUrl)}-wal`;
    const size = async () => (await samplesOf(service)).get("petstore_wal_bytes");
    await service.addPet();
    expect(await size()).toBe(statSync(log).size);
    renameSync(log, `${log}.moved`);
    expect(await size()).toBe(0);
    renameSync(`${log}.moved`, log);
  });

  test("counts a commit in the bucket of its size, of which each is twice the one before", async () => {
    await using service = await startService({ METRICS_PORT: "0" });
    await service.addPet();
    const buckets = [...(await samplesOf(service))].filter(([name]) => name.startsWith("petstore_commit_batch_size_b"));
    const bounds = [1, 2, 4, 8, 16, 32, 64, 128, 256, "+Inf"];
    expect(buckets.map(([name]) => name)).toEqual(
      bounds.map((bound) => `petstore_commit_batch_size_bucket{le="${bound}"}`),
    );
    const [[, first] = []] = buckets;
    expect(first).toBeGreaterThanOrEqual(1); // the last use of the key is a commit as well, some seconds later
  });

  test("is of the type that its name says", async () => {
    await using service = await startService({ METRICS_PORT: "0" });
    const types = (await (await fetch(service.metricsUrl!)).text()).match(/^# TYPE (http|petstore)_.*/gm);
    expect(types).toEqual(
      expect.arrayContaining([
        "# TYPE http_requests_total counter",
        "# TYPE http_request_duration_seconds histogram",
        "# TYPE http_requests_in_flight gauge",
        "# TYPE petstore_commit_batch_size histogram",
        "# TYPE petstore_contract_violations_total counter",
        "# TYPE petstore_wal_bytes gauge",
      ]),
    );
  });
});

test("there are no metrics unless METRICS_PORT is set", async () => {
  await using service = await startService();
  expect(service.metricsUrl).toBeUndefined();
});
