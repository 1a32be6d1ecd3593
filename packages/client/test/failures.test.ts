import { inspect } from "node:util";
import { describe, expect, expectTypeOf, test } from "vitest";
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
