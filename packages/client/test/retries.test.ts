import type { RequestListener } from "node:http";
import { describe, expect, test } from "vitest";
import { faulty } from "./faulty.ts";

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
