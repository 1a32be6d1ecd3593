import { startService, type TestService } from "@petstore/server/testing";
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import { type Call, createPetstore, type Error, type FailureError, type Pet, type Petstore } from "../src/index.ts";

let service: TestService;
let petstore: Petstore;

beforeAll(async () => {
  service = await startService();
  petstore = createPetstore({ baseUrl: service.baseUrl, apiKey: service.key, onDeprecated: false });
});
afterAll(() => service[Symbol.asyncDispose]());

const rex = { name: "Rex", categoryId: 1 };

describe("createPet", () => {
  test("201: data is the animal", async () => {
    const result = await petstore.createPet({ ...rex, status: "pending" });
    if (result.status !== 201) throw new TypeError(result.error.message);
    expectTypeOf(result.data).toEqualTypeOf<Pet>();
    expectTypeOf(result.ok).toEqualTypeOf<true>();
    expect(result).toEqual({
      ok: true,
      status: 201,
      data: { ...rex, id: expect.any(Number), status: "pending" },
      response: expect.any(Response),
      requestId: result.response.headers.get("X-Request-Id"),
    });
  });

  test("201: accepts the caller's Idempotency-Key together with the fields of the body", async () => {
    const input = { ...rex, "Idempotency-Key": "client-1" };
    const first = await petstore.createPet(input).orThrow();
    const again = await petstore.createPet(input);
    expect(again.data).toEqual(first);
    expect(again.response?.headers.get("Idempotency-Replayed")).toBe("true");
  });

  test("sends a new Idempotency-Key with each call", async () => {
    const [one, other] = [await petstore.createPet(rex).orThrow(), await petstore.createPet(rex).orThrow()];
    expect(one.id).not.toBe(other.id);
  });

  test("400: the error has a code and a message", async () => {
    // @ts-expect-error categoryId is missing
    const result = await petstore.createPet({ name: "Rex" });
    expect(result).toEqual({
      ok: false,
      status: 400,
      error: { code: "invalid_request", message: expect.any(String), status: 400 },
      response: expect.any(Response),
      requestId: expect.stringMatching(/.{8}/),
    });
    if (result.status === 400) expectTypeOf(result.error).toEqualTypeOf<Error>();
  });

  test("422: another body with the same Idempotency-Key", async () => {
    await petstore.createPet({ ...rex, "Idempotency-Key": "client-2" }).orThrow();
    const result = await petstore.createPet({ ...rex, name: "Mia", "Idempotency-Key": "client-2" });
    expect(result.status === 422 && result.error.code).toBe("idempotency_key_reused");
  });

  test("400: an unknown field is sent, and the service names it", async () => {
    // @ts-expect-error there is no such field
    const result = await petstore.createPet({ ...rex, colour: "brown" });
    expect(result.error?.message).toContain("colour");
  });
});

describe("listPets", () => {
  test("200: without an argument, and with a filter", async () => {
    const sold = await petstore.createPet({ ...rex, status: "sold" }).orThrow();
    const all = await petstore.listPets({ limit: 100 }).orThrow();
    expect(all).toContainEqual(sold);
    expect(await petstore.listPets({ status: "sold" }).orThrow()).toEqual([sold]);
    expect((await petstore.listPets()).status).toBe(200);
  });

  test("400: an unknown query parameter is sent, and the service names it", async () => {
    // @ts-expect-error there is no such parameter
    const result = await petstore.listPets({ stauts: "sold" });
    expect(result.error?.message).toContain("stauts");
  });

  test("401: an unknown API key", async () => {
    const unauthorized = createPetstore({ baseUrl: service.baseUrl, apiKey: "pst_test_nobody" });
    const result = await unauthorized.listPets();
    expect([result.status, result.error?.code]).toEqual([401, "unauthorized"]);
  });
});

describe("getPet", () => {
  test("304: the caller's copy is current", async () => {
    const { id } = await petstore.createPet(rex).orThrow();
    const first = await petstore.getPet({ petId: id });
    const headers = { "If-None-Match": first.response?.headers.get("ETag") ?? "" };
    const again = await petstore.getPet({ petId: id }, { headers });
    if (again.status !== 304) throw new TypeError(`expected 304, received ${again.status}`);
    expect(again.error).toEqual({ code: "not_modified", message: "Not modified.", status: 304 });
    expectTypeOf(again.error).toEqualTypeOf<Error>();
  });

  test("200 and 404", async () => {
    const pet = await petstore.createPet(rex).orThrow();
    expect(await petstore.getPet({ petId: pet.id }).orThrow()).toEqual(pet);
    const missing = await petstore.getPet({ petId: -1 });
    expect(missing.status === 404 && missing.error.code).toBe("not_found");
  });
});

describe("calls by path", () => {
  test("return the same results, as in openapi-fetch", async () => {
    const created = await petstore.POST("/pets", { body: rex, params: { header: { "Idempotency-Key": "by-path" } } });
    if (!created.ok) throw new TypeError(created.error.message);
    const { id } = created.data;
    expect(await petstore.GET("/pets/{petId}", { params: { path: { petId: id } } }).orThrow()).toEqual(created.data);
    const page = await petstore.GET("/pets", { params: { query: { limit: 1 } } });
    expect(page.data).toHaveLength(1);
    expectTypeOf(petstore.GET("/pets")).toEqualTypeOf<Call<"listPets">>();
  });

  test("throw for an unknown path", () => {
    // @ts-expect-error there is no such path
    expect(() => petstore.GET("/animals")).toThrow(
      new TypeError("The contract has no operation GET /animals. Pass a path template of the contract."),
    );
  });
});

test("a failure has a FailureCode", async () => {
  const result = await petstore.listPets({}, { signal: AbortSignal.abort() });
  if (result.status !== 0) throw new TypeError("expected a failure");
  expectTypeOf(result.error).toEqualTypeOf<FailureError>();
  expect(result.error.code).toBe("aborted");
});
