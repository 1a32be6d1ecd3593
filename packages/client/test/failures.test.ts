import { inspect } from "node:util";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { RequestListener } from "node:http";
import { type ErrorCode, type FailureCode, PetstoreError } from "../src/index.ts";
import { faulty, KEY } from "./faulty.ts";

describe("orThrow", () => {
  test("throws a PetstoreError with the facts of the call", async () => {
    await using server = await faulty((_request, response) => {
      response.writeHead(404, { "Content-Type": "application/json", "X-Request-Id": "r-1" });
      response.end(JSON.stringify({ code: "not_found", message: "There is no such animal.", status: 404 }));
    });
    const thrown = await failed(server.petstore.getPet({ petId: 7 }).orThrow());
    expect(thrown).toMatchObject({
      name: "PetstoreError",
      message: "There is no such animal.",
      status: 404,
      code: "not_found",
      requestId: "r-1",
      operationId: "getPet",
      method: "GET",
      url: `${server.baseUrl}/pets/7`,
      headers: expect.any(Headers),
    });
  });

  test("throws a failure for the page of a proxy, and nothing shows the API key", async () => {
    await using server = await faulty(
      (request, response) => {
        response.writeHead(502, { "Content-Type": "text/html", Via: "proxy" });
        response.end(`<h1>Bad Gateway</h1>${request.headers.authorization}`);
      },
      { retry: false },
    );
    const result = await server.petstore.listPets();
    const thrown = await failed(server.petstore.listPets().orThrow());
    const facts = { httpStatus: 502, contentType: "text/html", bodyStart: "<h1>Bad Gateway</h1>Bearer [credential]" };
    expect(result.error).toMatchObject({ code: "unreadable_answer", status: 0, ...facts });
    expect(thrown).toMatchObject({ code: "unreadable_answer", status: 0, ...facts });
    expect(inspect([result, thrown], { depth: 10, showHidden: true })).not.toContain(KEY);
  });

  test("has a code of the contract or of the client", () => {
    expectTypeOf<FailureCode>().toExtend<ErrorCode>();
    expectTypeOf<"idempotency_key_reused">().toExtend<ErrorCode>();
    expectTypeOf<PetstoreError["code"]>().toEqualTypeOf<ErrorCode>();
  });
});

async function failed(call: Promise<unknown>): Promise<PetstoreError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof PetstoreError)) throw new TypeError("expected a PetstoreError");
  return error;
}

const rex = { name: "Rex", categoryId: 1 };

describe("a transient failure is retried", () => {
  test("409 idempotency_in_progress, and no other 409", async () => {
    await using server = await faulty(
      inTurn([refuse(409, {}, "idempotency_in_progress"), refuse(409, {}, "conflict")]),
    );
    expect((await server.petstore.createPet(rex)).status).toBe(409);
    expect(server.requests).toHaveLength(2);
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
