import Sqlite from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { pathOfFileUrl } from "../../src/config.ts";
import { listenForMetrics } from "../../src/observability/metrics.ts";
import { createLogger } from "../../src/observability/request-log.ts";
import { expectError, json, startService, type TestService } from "../service.ts";

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
    expect((await valueOf("petstore_commit_batch_size_sum")) - writes).toBe(20);
    expect((await valueOf("petstore_commit_batch_size_count")) - groups).toBeLessThan(20);
  });

  test("tells the size of the write-ahead log and the lag of the event loop", async () => {
    await service.addPet();
    expect(await valueOf("petstore_wal_bytes")).toBeGreaterThan(4096);
    expect(await read()).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
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

test("there are no metrics unless METRICS_PORT is set", async () => {
  await using service = await startService();
  expect(service.metricsUrl).toBeUndefined();
});
