import { getEventListeners } from "node:events";
import type { RequestListener } from "node:http";
import { describe, expect, test } from "vitest";
import { faulty } from "./faulty.ts";

describe("calls by path accept the options of a call", () => {
  test("retry", async () => {
    await using server = await faulty(refuse());
    expect((await server.petstore.GET("/pets", { retry: false })).status).toBe(503);
    expect(server.requests).toHaveLength(1);
    expect((await server.petstore.GET("/pets", { retry: { limit: 1, baseDelay: 1 } })).status).toBe(503);
    expect(server.requests).toHaveLength(3);
  });

  test("timeout, beside the parameters", async () => {
    await using server = await faulty(() => {});
    const init = { params: { path: { petId: 7 } }, timeout: 1_000, retry: false as const };
    expect((await server.petstore.GET("/pets/{petId}", init)).error?.code).toBe("timeout");
    expect(server.requests).toEqual(["GET /v1/pets/7"]);
  });

  test("signal and headers", async () => {
    const controller = new AbortController();
    const traces: unknown[] = [];
    await using server = await faulty((request) => {
      traces.push(request.headers["traceparent"]);
      controller.abort();
    });
    const headers = { traceparent: "00-1" };
    const result = await server.petstore.GET("/pets", { headers, signal: controller.signal });
    expect(result.error?.code).toBe("aborted");
    expect(traces).toEqual(["00-1"]);
  });
});

test("a wait ends at once if its signal was aborted before", async () => {
  const controller = new AbortController();
  const reason = new Error("the page was closed");
  await using server = await faulty(refuse({ "Retry-After": "20" }), { onRetry: () => controller.abort(reason) });
  const start = performance.now();
  const result = await server.petstore.listPets({}, { signal: controller.signal });
  expect(performance.now() - start).toBeLessThan(10_000);
  expect(result).toMatchObject({ status: 0, error: { code: "aborted" }, cause: reason });
  expect(server.requests).toHaveLength(1);
});

test("timeout bounds each attempt too", async () => {
  await using server = await faulty(() => {});
  const start = performance.now(); // the time since the process started; no timeout may be added to it
  const limits = { timeout: 100, attemptTimeout: Infinity, retry: false as const };
  expect((await server.petstore.listPets({}, limits)).error?.code).toBe("timeout");
  expect(performance.now() - start).toBeLessThan(100 + start);
});

test("a wait ended by a signal leaves no timer and no listener", async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const controller = new AbortController();
  const onRetry = () => setImmediate(() => controller.abort());
  await using server = await faulty(refuse({ "Retry-After": "20" }), { onRetry });
  await server.petstore.listPets({}, { retry: false });
  const before = timers();
  const result = await server.petstore.listPets({}, { signal: controller.signal });
  expect(result.error?.code).toBe("aborted");
  expect(timers()).toBeLessThanOrEqual(before);
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});

test("a call with an aborted signal sends no request", async () => {
  await using server = await faulty(refuse());
  const result = await server.petstore.listPets({}, { signal: AbortSignal.abort() });
  expect(result.error).toEqual({ code: "aborted", message: "The call was aborted.", status: 0 });
  expect(server.requests).toEqual([]);
});

test("a call without time limits waits for the response", async () => {
  const answer: RequestListener = (_, response) => {
    setTimeout(() => response.writeHead(200, { "Content-Type": "application/json" }).end("[]"), 100);
  };
  await using server = await faulty(answer, { timeout: Infinity, attemptTimeout: Infinity });
  expect(await server.petstore.listPets().orThrow()).toEqual([]);
  expect(server.requests).toHaveLength(1);
});

function refuse(headers: Record<string, string> = {}): RequestListener {
  return (_request, response) => {
    response.writeHead(503, { "Content-Type": "application/json", ...headers });
    response.end(JSON.stringify({ code: "failed", message: "It failed.", status: 503 }));
  };
}
