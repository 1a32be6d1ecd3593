import { getEventListeners } from "node:events";
import type { RequestListener } from "node:http";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { createPetstore, PetstoreError } from "../src/index.ts";
import { faulty, KEY } from "./faulty.ts";

const PAGE = "<h1>Bad Gateway</h1>";
const PETS = JSON.stringify([{ id: 1, name: "Rex", categoryId: 1, status: "available" }]);

describe("a response outside the contract is an unreadable_answer with a reason", () => {
  const answers: [name: string, answer: RequestListener, message: string, bodyStart?: string][] = [
    [
      "502 with HTML",
      page(502),
      "The response 502 (text/html) is not the contract's Error. A proxy may have sent it.",
      PAGE,
    ],
    ["200 with HTML", page(200), "The response 200 (text/html) is not JSON or is incomplete.", PAGE],
    [
      "404 with HTML",
      page(404),
      "The response 404 (text/html) is not the contract's Error. A proxy may have sent it.",
      PAGE,
    ],
    [
      "500 of length 0",
      (_, response) => void response.writeHead(500, { "Content-Length": 0 }).end(),
      "The response 500 (no Content-Type) has no body.",
    ],
    [
      "500 of unknown length, empty",
      (_, response) => {
        response.writeHead(500).flushHeaders();
        response.end();
      },
      "The response 500 (no Content-Type) has no body.",
    ],
    [
      "200 of length 0",
      (_, response) => void response.writeHead(200, { "Content-Length": 0 }).end(),
      "The response 200 (no Content-Type) has no body.",
    ],
    [
      "200 of unknown length, empty",
      (_, response) => {
        response.writeHead(200).flushHeaders();
        response.end();
      },
      "The response 200 (no Content-Type) has no body.",
    ],
    ["200 with null", json(200, "null"), "The response 200 (application/json) has no body.", "null"],
    [
      "204, which is not declared",
      (_, response) => void response.writeHead(204).end(),
      "The response 204 (no Content-Type) is not declared by the contract.",
    ],
    [
      "202, which is not declared",
      json(202, PETS),
      "The response 202 (application/json) is not declared by the contract.",
      PETS,
    ],
    [
      "200 with JSON that is cut off",
      json(200, PETS.slice(0, -5)),
      "The response 200 (application/json) is not JSON or is incomplete.",
      PETS.slice(0, -5),
    ],
    [
      "403 with the JSON of another service",
      json(403, '{"message":"Forbidden"}'),
      "The response 403 (application/json) is not the contract's Error. A proxy may have sent it.",
      '{"message":"Forbidden"}',
    ],
    [
      "301",
      (_, response) => void response.writeHead(301, { Location: "https://elsewhere.example/" }).end(),
      "The response 301 (no Content-Type) is a redirect. Set baseUrl to its target.",
    ],
  ];

  test.each(answers)("%s", async (_name, answer, message, bodyStart = "") => {
    await using server = await faulty(answer, { retry: false });
    const result = await server.petstore.getPet({ petId: 1 });
    if (result.status !== 0) throw new TypeError(`expected a failure, received ${result.status}`);
    const [, httpStatus, type] = /response (\d+) \((.*?)\)/.exec(message)!;
    const headers = result.response!.headers;
    const contentType = type === "no Content-Type" ? undefined : type;
    expect(result).toEqual({
      ok: false,
      status: 0,
      error: {
        code: "unreadable_answer",
        message,
        status: 0,
        httpStatus: Number(httpStatus),
        headers,
        contentType,
        bodyStart,
      },
      response: expect.any(Response),
      requestId: undefined,
      cause: result.cause,
    });
    expect(result.cause instanceof SyntaxError).toBe(message.includes("not JSON"));
    expect(server.requests).toEqual(["GET /v1/pets/1"]);
  });

  test("a connection that breaks within the body is a network_error with the response's status", async () => {
    await using server = await faulty(
      (_, response) => {
        response.writeHead(200, { "Content-Type": "application/json", "Content-Length": PETS.length });
        response.write(PETS.slice(0, 10), () => response.destroy());
      },
      { retry: false },
    );
    const result = await server.petstore.listPets();
    expect(result.error).toEqual({
      code: "network_error",
      message: "The connection failed. See cause.",
      status: 0,
      httpStatus: 200,
      headers: expect.any(Headers),
      contentType: "application/json",
      bodyStart: undefined,
    });
    expect(result.response?.status).toBe(200);
  });
});

describe("no response", () => {
  test("a refused connection is a network_error", async () => {
    const server = await faulty(() => {}, { retry: false });
    await server[Symbol.asyncDispose]();
    const result = await server.petstore.listPets();
    expect(result).toMatchObject({
      ok: false,
      status: 0,
      error: { code: "network_error" },
      cause: { cause: { code: "ECONNREFUSED" } },
    });
  });

  test("attemptTimeout ends an attempt whose headers or body do not arrive", async () => {
    const answers: RequestListener[] = [
      () => {},
      (_, response) => void response.writeHead(200, { "Content-Length": 5 }).write("["),
    ];
    for (const answer of answers) {
      await using server = await faulty(answer, { retry: { limit: 1, baseDelay: 1 }, attemptTimeout: 500 });
      const result = await server.petstore.listPets();
      expect(result.error).toMatchObject({
        code: "timeout",
        message: "The complete response did not arrive in time.",
        status: 0,
      });
      expect(server.requests).toHaveLength(2);
    }
  });

  test("timeout ends the call before the last retry", async () => {
    await using server = await faulty(() => {}, {
      timeout: 120,
      attemptTimeout: 50,
      retry: { limit: 100, baseDelay: 1 },
    });
    const start = performance.now();
    expect((await server.petstore.listPets()).error?.code).toBe("timeout");
    expect(performance.now() - start).toBeLessThan(1_000);
    expect(server.requests.length).toBeLessThan(10);
  });

  test("timeout also ends a call whose fetch ignores its signal", async () => {
    const petstore = createPetstore({
      baseUrl: "http://127.0.0.1/v1",
      apiKey: KEY,
      timeout: 20,
      attemptTimeout: Infinity,
      fetch: () => new Promise(() => {}),
    });
    expect((await petstore.listPets()).error?.code).toBe("timeout");
  });

  test("the signal ends an attempt, and a wait between two attempts", async () => {
    for (const answer of [() => {}, error(503, { "Retry-After": "20" })] as RequestListener[]) {
      const controller = new AbortController();
      const reason = new Error("the page was closed");
      await using server = await faulty(
        (request, response) => {
          answer(request, response);
          setImmediate(() => controller.abort(reason));
        },
        { onRetry: () => controller.abort(reason) },
      );
      const result = await server.petstore.listPets({}, { signal: controller.signal });
      expect(result).toMatchObject({ status: 0, error: { code: "aborted" }, cause: reason });
      expect(server.requests).toHaveLength(1);
    }
  });

  test("a value that cannot be sent is an unsendable_request", async () => {
    await using server = await faulty(error(500));
    const result = await server.petstore.createPet({ name: "Rex", categoryId: 1, "Idempotency-Key": "two\nlines" });
    expect(result).toMatchObject({ status: 0, error: { code: "unsendable_request" }, cause: expect.any(TypeError) });
    expect(server.requests).toEqual([]);
  });
});

test("an ended call leaves no timer and no listener", async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const { signal } = new AbortController();
  await using server = await faulty(error(503));
  await server.petstore.listPets();
  const before = timers();
  await server.petstore.listPets({}, { signal, attemptTimeout: 20_000 });
  expect(timers()).toBeLessThanOrEqual(before);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

describe("orThrow", () => {
  test("throws a PetstoreError with the facts of the call", async () => {
    await using server = await faulty(error(404, { "X-Request-Id": "r-1" }));
    const thrown: unknown = await server.petstore
      .getPet({ petId: 7 })
      .orThrow()
      .catch((reason: unknown) => reason);
    expect(thrown).toBeInstanceOf(PetstoreError);
    expect(thrown).toMatchObject({
      name: "PetstoreError",
      message: "It failed.",
      status: 404,
      code: "failed",
      requestId: "r-1",
      operationId: "getPet",
      method: "GET",
      url: `${server.baseUrl}/pets/7`,
      headers: expect.any(Headers),
    });
  });

  test("throws with the cause when there is no response", async () => {
    const server = await faulty(() => {}, { retry: false });
    await server[Symbol.asyncDispose]();
    await expect(server.petstore.listPets().orThrow()).rejects.toMatchObject({
      status: 0,
      code: "network_error",
      headers: undefined,
      requestId: undefined,
      cause: expect.any(TypeError),
    });
  });
});

test("no failure contains the API key", async () => {
  const answers: RequestListener[] = [page(502), error(400), (request) => request.socket.destroy(), () => {}];
  for (const answer of answers) {
    await using server = await faulty(answer, { retry: false, attemptTimeout: 30 });
    const result = await server.petstore.getPet({ petId: 1 });
    const thrown: unknown = await server.petstore
      .getPet({ petId: 1 })
      .orThrow()
      .catch((reason: unknown) => reason);
    expect(inspect([result, thrown], { depth: 10, showHidden: true })).not.toContain(KEY);
  }
});

function page(status: number): RequestListener {
  return (_request, response) => void response.writeHead(status, { "Content-Type": "text/html" }).end(PAGE);
}

function json(status: number, text: string): RequestListener {
  return (_request, response) => void response.writeHead(status, { "Content-Type": "application/json" }).end(text);
}

/** An Error as the service sends it. */
function error(status: number, headers: Record<string, string> = {}): RequestListener {
  return (_request, response) => {
    response.writeHead(status, { "Content-Type": "application/json", ...headers });
    response.end(JSON.stringify({ code: "failed", message: "It failed.", status }));
  };
}
