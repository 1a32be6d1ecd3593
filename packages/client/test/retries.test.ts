import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Operation } from "fetch-operations";
import { describe, expect, test } from "vitest";
import type { Retry } from "../src/index.ts";
import { call, connect } from "../src/operations.ts";
import { faulty } from "./faulty.ts";

const rex = { name: "Rex", categoryId: 1 };

describe("a transient failure is retried", () => {
  test.each([408, 429, 502, 503, 504])("status %i", async (status) => {
    await using server = await faulty(inTurn([refuse(status), refuse(status), ok]));
    expect(await server.petstore.listPets().orThrow()).toEqual([]);
    expect(server.requests).toHaveLength(3);
  });

  test("409 idempotency_in_progress, and no other 409", async () => {
    await using server = await faulty(
      inTurn([refuse(409, {}, "idempotency_in_progress"), refuse(409, {}, "conflict")]),
    );
    expect((await server.petstore.createPet(rex)).status).toBe(409);
    expect(server.requests).toHaveLength(2);
  });

  test.each([400, 401, 403, 404, 422, 500, 501])("not status %i", async (status) => {
    await using server = await faulty(refuse(status));
    expect((await server.petstore.listPets()).status).toBe(status);
    expect(server.requests).toHaveLength(1);
  });

  test("a connection that breaks, before and within a response", async () => {
    const broken: RequestListener = (_, response) => {
      response.writeHead(200, { "Content-Length": 100 }).write("[", () => response.destroy());
    };
    await using server = await faulty(inTurn([(request) => request.socket.destroy(), broken, ok]));
    expect(await server.petstore.listPets().orThrow()).toEqual([]);
  });

  test("three times by default, and the call returns the last response", async () => {
    await using server = await faulty(refuse(503));
    expect((await server.petstore.listPets()).status).toBe(503);
    expect(server.requests).toHaveLength(4);
    expect((await server.petstore.listPets({}, { retry: { limit: 1 } })).status).toBe(503);
    expect(server.requests).toHaveLength(6);
    expect((await server.petstore.listPets({}, { retry: false })).status).toBe(503);
    expect(server.requests).toHaveLength(7);
  });
});

describe("createPet is repeated with one Idempotency-Key", () => {
  test("that the client creates for each call", async () => {
    const keys: unknown[] = [];
    await using server = await faulty((request, response) => {
      keys.push(request.headers["idempotency-key"]);
      if (keys.length === 1) request.socket.destroy();
      else refuse(keys.length === 2 ? 503 : 400)(request, response);
    });
    await server.petstore.createPet(rex);
    await server.petstore.createPet(rex);
    expect(keys).toHaveLength(4);
    expect(keys[0]).toMatch(/^[\w-]{20,255}$/);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(keys[3]).not.toBe(keys[0]);
  });

  test("that the caller passes", async () => {
    const keys: unknown[] = [];
    await using server = await faulty((request, response) => {
      keys.push(request.headers["idempotency-key"]);
      refuse(503)(request, response);
    });
    await server.petstore.createPet({ ...rex, "Idempotency-Key": "mine" }, { retry: { limit: 1 } });
    expect(keys).toEqual(["mine", "mine"]);
  });
});

test("an operation that is not retryable is sent once after any failure", async () => {
  const rename: Operation<[input?: object]> = {
    id: "createPet",
    method: "PATCH",
    path: "/pets",
    parameters: {},
    success: [200],
  };
  for (const answer of [refuse(503, { "Retry-After": "0" }), (request: IncomingMessage) => request.socket.destroy()]) {
    await using server = await faulty(answer);
    await call(connect({ baseUrl: server.baseUrl, apiKey: "k" }), rename, {});
    expect(server.requests).toEqual(["PATCH /v1/pets"]);
  }
});

describe("the wait", () => {
  test("is random below a bound that grows with each retry", async () => {
    const delays: number[][] = [[], [], [], [], []];
    const onRetry = ({ attempt, delay }: Retry) => delays[attempt - 1]!.push(delay);
    await using server = await faulty(refuse(503), {
      retry: { limit: 5, baseDelay: 2, maxDelay: 10 },
      onRetry,
      retryBudget: 250,
    });
    await Promise.all(Array.from({ length: 50 }, () => server.petstore.listPets()));
    for (const [index, bound] of [2, 4, 8, 10, 10].entries()) {
      expect(Math.max(...delays[index]!)).toBeLessThanOrEqual(bound);
      expect(Math.max(...delays[index]!)).toBeGreaterThan(bound * 0.8);
      expect(Math.min(...delays[index]!)).toBeLessThan(bound * 0.2);
    }
  });

  test.each([
    ["seconds", () => ({ "Retry-After": "1" })],
    ["a date, by the server's clock", () => ({ Date: date(-3_600), "Retry-After": date(-3_599) })],
  ])("is at least Retry-After, given as %s", async (_form, headers) => {
    const retries: Retry[] = [];
    await using server = await faulty(inTurn([refuse(429, headers()), ok]), {
      onRetry: (retry) => retries.push(retry),
    });
    const start = performance.now();
    expect((await server.petstore.listPets()).status).toBe(200);
    expect(performance.now() - start).toBeGreaterThan(990);
    expect(retries).toEqual([
      { operationId: "listPets", attempt: 1, delay: expect.any(Number), status: 429, code: "failed" },
    ]);
    expect(retries[0]!.delay).toBeGreaterThanOrEqual(1_000);
    expect(retries[0]!.delay).toBeLessThan(1_002);
  });

  test.each(["31", "99999999999999999999", new Date(Date.now() + 60_000).toUTCString()])(
    "is skipped for Retry-After: %s, beyond maxRetryAfter, and the call returns the response",
    async (value) => {
      await using server = await faulty(refuse(503, { "Retry-After": value }));
      expect((await server.petstore.listPets()).status).toBe(503);
      expect(server.requests).toHaveLength(1);
    },
  );

  test("is skipped if it would exceed timeout, and the call returns the response", async () => {
    await using server = await faulty(refuse(503, { "Retry-After": "5" }), { timeout: 4_000 });
    const start = performance.now();
    expect((await server.petstore.listPets()).status).toBe(503);
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  test.each(["-1", "soon", "1.5", ""])("ignores Retry-After: %j", async (value) => {
    await using server = await faulty(inTurn([refuse(503, { "Retry-After": value }), ok]));
    expect((await server.petstore.listPets()).status).toBe(200);
  });
});

function ok(_request: unknown, response: ServerResponse): void {
  response.writeHead(200, { "Content-Type": "application/json" }).end("[]");
}

function refuse(status: number, headers: Record<string, string> = {}, code = "failed"): RequestListener {
  return (_request, response) => {
    response.writeHead(status, { "Content-Type": "application/json", ...headers });
    response.end(JSON.stringify({ code, message: "It failed.", status }));
  };
}

function inTurn(answers: RequestListener[]): RequestListener {
  let count = 0;
  return (request, response) => answers[Math.min(count++, answers.length - 1)]!(request, response);
}

function date(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toUTCString();
}
