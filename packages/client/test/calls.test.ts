import type { RequestListener } from "node:http";
import { inspect } from "node:util";
import { startService, type TestService } from "@petstore/server/testing";
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import {
  type Data,
  createPetstore,
  type Error,
  type ErrorCode,
  type FailureCode,
  type FailureError,
  type Items,
  type Pet,
  type Pets,
  type Petstore,
  PetstoreError,
} from "../src/index.ts";
import { faulty, KEY } from "./faulty.ts";

describe("the use of the client", () => {
  describe("calls", () => {
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
        const { headers: found } = again.response;
        const facts = { status: 304, httpStatus: 304, headers: found, bodyStart: "" };
        expect(again.error).toEqual({ code: "not_modified", message: "Not modified.", ...facts });
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
      test("are those of openapi-fetch", async () => {
        const created = await petstore.POST("/pets", {
          body: rex,
          params: { header: { "Idempotency-Key": "by-path" } },
        });
        const { id } = created.data!;
        const { data } = await petstore.GET("/pets/{petId}", { params: { path: { petId: id } } });
        expect(data).toEqual(created.data);
        const page = await petstore.GET("/pets", { params: { query: { limit: 1 } } });
        expect(page.data).toHaveLength(1);
        const missing = await petstore.GET("/pets/{petId}", { params: { path: { petId: -1 } } });
        expect([missing.error?.code, missing.response.status]).toEqual(["not_found", 404]);
        expectTypeOf(page.data).toEqualTypeOf<Data<"listPets"> | undefined>();
      });

      test("do not compile for an unknown path", async () => {
        // @ts-expect-error there is no such path
        expect((await petstore.GET("/animals")).response.status).toBe(404);
      });
    });

    test("a failure has a FailureCode", async () => {
      const result = await petstore.listPets({}, { signal: AbortSignal.abort() });
      if (result.status !== 0) throw new TypeError("expected a failure");
      expectTypeOf(result.error).toEqualTypeOf<FailureError>();
      expect(result.error.code).toBe("aborted");
    });
  });

  describe("pages", () => {
    describe("paginate, with the real service,", () => {
      let service: TestService;
      let petstore: Petstore;
      const pets: Pet[] = [];

      beforeAll(async () => {
        service = await startService();
        petstore = createPetstore({ baseUrl: service.baseUrl, apiKey: service.key });
        for (let index = 0; index < 25; index++)
          pets.push(
            await petstore
              .createPet({ name: `pet ${index}`, categoryId: 1, status: index % 2 ? "sold" : "available" })
              .orThrow(),
          );
      });
      afterAll(() => service[Symbol.asyncDispose]());

      test("returns every animal once and in order, with pages of 10 and of 1", async () => {
        for (const limit of [10, 1]) expect(await Array.fromAsync(petstore.paginate.listPets({ limit }))).toEqual(pets);
        const items = petstore.paginate.listPets();
        expectTypeOf(items).toEqualTypeOf<Items<"listPets">>();
        for await (const pet of items) expectTypeOf(pet).toEqualTypeOf<Pet>();
      });

      test("applies the filter to every page", async () => {
        const sold = await Array.fromAsync(petstore.paginate.listPets({ status: "sold", limit: 5 }));
        expect(sold).toEqual(pets.filter(({ status }) => status === "sold"));
      });

      test("returns pages, and continues from the cursor of one", async () => {
        const pages = await Array.fromAsync(petstore.paginate.listPets({ limit: 10 }).pages());
        expect(pages.map(({ items }) => items.length)).toEqual([10, 10, 5]);
        expectTypeOf(pages[0]!.items).toEqualTypeOf<Pets>();
        expect(pages.map(({ next }) => typeof next)).toEqual(["string", "string", "undefined"]);
        const rest = petstore.paginate.listPets({ limit: 10, cursor: pages[0]!.next! });
        expect(await Array.fromAsync(rest)).toEqual(pets.slice(10));
      });

      test("starts a new iteration at the first page", async () => {
        const items = petstore.paginate.listPets({ limit: 20 });
        expect(await Array.fromAsync(items)).toEqual(await Array.fromAsync(items));
      });

      test("throws the error response of a page", async () => {
        const stranger = createPetstore({ baseUrl: service.baseUrl, apiKey: "pst_test_nobody" });
        await expect(Array.fromAsync(stranger.paginate.listPets())).rejects.toMatchObject({
          name: "PetstoreError",
          status: 401,
          operationId: "listPets",
        });
      });

      test("has only the operations with pages", () => {
        // @ts-expect-error getPet has a Link too, to its successor
        expect(petstore.paginate.getPet).toBeUndefined();
        expect(Object.keys(petstore.paginate)).toEqual(["listPets"]);
      });
    });

    test("a redirect does not send the key to another origin", async () => {
      await using other = await faulty((_, response) => void response.end("[]"));
      await using server = await faulty(
        (_, response) => void response.writeHead(307, { Location: other.baseUrl }).end(),
      );
      const { status, error } = await server.petstore.listPets();
      expect([status, error?.code]).toEqual([307, "http_307"]);
      expect([other.requests, KEY]).toEqual([[], KEY]);
    });
  });
});

describe("failures", () => {
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
});
