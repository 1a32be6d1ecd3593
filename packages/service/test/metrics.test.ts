import { SERVICE } from "@openapi-operations/command-line/name";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { errorBody } from "../src/errors.ts";
import { listenForMetrics } from "../src/observability/metrics.ts";
import { createLogger } from "../src/observability/request-log.ts";
import { json, startThings, type Things } from "../testing/start-things.ts";

describe("/metrics", () => {
  let service: Things;
  beforeAll(async () => void (service = await startThings({ env: { METRICS_PORT: "0" } })));
  afterAll(() => service[Symbol.asyncDispose]());

  const read = async (): Promise<string> => (await fetch(service.metricsUrl!)).text();
  /** Returns the value of a sample such as `name{label="x"}`, or 0 if it is missing. */
  const valueOf = async (sample: string): Promise<number> => {
    const line = (await read()).split("\n").find((text) => text.startsWith(`${sample} `));
    return Number(line?.slice(sample.length + 1) ?? 0);
  };

  test("returns text for Prometheus on its own port, and not on the port of the service", async () => {
    const response = await fetch(service.metricsUrl!);
    expect(response.headers.get("Content-Type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(new URL(service.metricsUrl!).port).not.toBe(new URL(service.baseUrl).port);
    expect((await fetch(new URL("/metrics", service.baseUrl))).status).toBe(404);
    const elsewhere = await fetch(new URL("/", service.metricsUrl));
    expect([elsewhere.status, await elsewhere.json()]).toEqual([404, expect.objectContaining({ code: "not_found" })]);
  });

  test("rejects methods other than GET and HEAD with 405 and Allow", async () => {
    const response = await fetch(service.metricsUrl!, { method: "POST" });
    expect([response.status, await response.json()]).toEqual([405, errorBody("method_not_allowed")]);
    expect(response.headers.get("Allow")).toBe("GET, HEAD, OPTIONS");
    const head = await fetch(service.metricsUrl!, { method: "HEAD" });
    expect({ status: head.status, text: await head.text() }).toEqual({ status: 200, text: "" });
  });

  test("responds 500 if the metrics cannot be read, and logs the error", async () => {
    let logged = "";
    const logger = createLogger("info", { write: (line) => void (logged += line) });
    const reading = () => Promise.reject(new Error("no answer from a process"));
    const listener = await listenForMetrics(reading, { host: "127.0.0.1", port: 0 }, logger);
    onTestFinished(async () => void (await listener.close()));
    expect((await fetch(`${listener.origin}/metrics`)).status).toBe(500);
    expect(logged).toContain("no answer from a process");
  });

  test("counts requests by operationId and status, and measures their duration", async () => {
    for (const path of ["/things", "/things", "/things?limit=0", "/nope"]) await service.request(path);
    await service.request("/things", json({ name: "cup" }));
    await expect.poll(() => valueOf('http_requests_total{operation_id="listThings",status="200"}')).toBe(2);
    expect(await valueOf('http_requests_total{operation_id="listThings",status="400"}')).toBe(1);
    await expect.poll(() => valueOf('http_requests_total{operation_id="createThing",status="201"}')).toBe(1);
    expect(await valueOf('http_requests_total{operation_id="none",status="404"}')).toBeGreaterThan(0);
    expect(await valueOf('http_request_duration_seconds_count{operation_id="listThings"}')).toBe(3);
    expect(await valueOf('http_request_duration_seconds_bucket{le="+Inf",operation_id="listThings"}')).toBe(3);
  });

  test("shows the number of requests in flight", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await using own = await startThings({ env: { METRICS_PORT: "0" }, before: () => released });
    const inFlight = async () => (await samplesOf(own)).get("http_requests_in_flight");
    const waiting = Array.from({ length: 20 }, () => own.request("/things"));
    await expect.poll(inFlight).toBe(20);
    release();
    await Promise.all(waiting);
    await expect.poll(inFlight).toBe(0);
  });

  test("shows the limits of requests in flight and of the heap", async () => {
    expect(await valueOf("http_requests_in_flight_limit")).toBe(512);
    expect(await valueOf("nodejs_heap_size_limit_bytes")).toBeGreaterThan(await valueOf("nodejs_heap_size_used_bytes"));
  });

  test("shows that the service is ready, until its database fails or it stops", async () => {
    const failure = { error: new Error("no database"), message: "There is no database." };
    let failed: typeof failure | undefined;
    await using own = await startThings({ env: { METRICS_PORT: "0" }, findFailure: async () => failed });
    const isReady = async () => (await samplesOf(own)).get(`${SERVICE.metricsPrefix}_ready`);
    expect(await isReady()).toBe(1);
    failed = failure;
    expect(await isReady()).toBe(0);
    failed = undefined;
    expect(await isReady()).toBe(1);
    own.drain();
    expect(await isReady()).toBe(0);
  });

  test("does not wait for a database that does not respond", async () => {
    const { promise: never } = Promise.withResolvers<undefined>();
    await using own = await startThings({ env: { METRICS_PORT: "0" }, findFailure: () => never });
    expect((await samplesOf(own)).get(`${SERVICE.metricsPrefix}_ready`)).toBe(0);
  });

  test("shows the lag of the event loop", async () => {
    expect(await read()).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
  });

  test("shows that one process runs and has responded", async () => {
    expect(await valueOf(`${SERVICE.metricsPrefix}_processes`)).toBe(1);
    expect(await valueOf(`${SERVICE.metricsPrefix}_processes_answered`)).toBe(1);
  });

  test("counts responses that break the contract", async () => {
    await service.request("/things", json({ name: "" })); // valid in requests, invalid in responses
    expect(await valueOf(`${SERVICE.metricsPrefix}_contract_violations_total{operation_id="createThing"}`)).toBe(1);
  });

  test("contains no token and no value of a body", async () => {
    await service.request("/things", json({ name: "Canary" }));
    expect(await read()).not.toMatch(/good|Canary/);
  });
});

describe("a sample", () => {
  test("has the duration of a request in seconds, in the right bucket", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await using service = await startThings({ env: { METRICS_PORT: "0" }, before: () => released });
    const began = performance.now();
    const listing = service.request("/things");
    const inFlight = async () => (await samplesOf(service)).get("http_requests_in_flight");
    await expect.poll(inFlight).toBe(1);
    const held = performance.now();
    await inFlight();
    const least = (performance.now() - held) / 1_000;
    release();
    await listing;
    await expect.poll(inFlight).toBe(0);
    const most = (performance.now() - began) / 1_000;

    const samples = await samplesOf(service);
    const seconds = samples.get('http_request_duration_seconds_sum{operation_id="listThings"}')!;
    expect(seconds).toBeGreaterThanOrEqual(least);
    expect(seconds).toBeLessThanOrEqual(most);
    for (const bound of [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]) {
      const bucket = `http_request_duration_seconds_bucket{le="${bound}",operation_id="listThings"}`;
      expect([bucket, samples.get(bucket)]).toEqual([bucket, seconds <= bound ? 1 : 0]);
    }
  });

  test('has the status as its label, or "aborted" if the client disconnected before the response', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await using service = await startThings({
      env: { METRICS_PORT: "0" },
      before: (id) => id === "createThing" && released,
    });
    const requests = async () =>
      new Map([...(await samplesOf(service))].filter(([name]) => name.startsWith("http_requests_total")));
    for (const path of ["/healthz", "/nope"]) await fetch(new URL(path, service.baseUrl));
    await service.request("/things?limit=0");
    const leaving = new AbortController();
    const left = service.request("/things", { ...json({ name: "cup" }), signal: leaving.signal });
    await expect.poll(async () => (await samplesOf(service)).get("http_requests_in_flight")).toBe(1);
    leaving.abort();
    await expect(left).rejects.toThrow("aborted");
    await expect.poll(async () => (await requests()).size).toBe(4);
    release();
    expect(Object.fromEntries(await requests())).toEqual({
      'http_requests_total{operation_id="probe",status="200"}': 1,
      'http_requests_total{operation_id="none",status="404"}': 1,
      'http_requests_total{operation_id="listThings",status="400"}': 1,
      'http_requests_total{operation_id="createThing",status="aborted"}': 1,
    });
  });

  test("has the declared type", async () => {
    await using service = await startThings({ env: { METRICS_PORT: "0" } });
    const types = (await (await fetch(service.metricsUrl!)).text()).match(
      new RegExp(`^# TYPE (http|${SERVICE.metricsPrefix})_.*`, "gm"),
    );
    expect(types).toEqual(
      expect.arrayContaining([
        "# TYPE http_requests_total counter",
        "# TYPE http_request_duration_seconds histogram",
        "# TYPE http_requests_in_flight gauge",
        `# TYPE ${SERVICE.metricsPrefix}_contract_violations_total counter`,
      ]),
    );
  });
});

test("there are no metrics unless METRICS_PORT is set", async () => {
  await using service = await startThings();
  expect(service.metricsUrl).toBeUndefined();
});

/** Returns the samples with their values. */
async function samplesOf({ metricsUrl }: Things): Promise<Map<string, number>> {
  const lines = (await (await fetch(metricsUrl!)).text()).split("\n").filter((line) => /^\w/.test(line));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]));
}
