import { startService, type TestService } from "@petstore/server/testing";
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import { createPetstoreClient, type Error, type Pet, type PetstoreClient } from "../src/index.ts";

let service: TestService;
let petstore: PetstoreClient;

beforeAll(async () => {
  service = await startService();
  petstore = createPetstoreClient({ baseUrl: service.baseUrl, apiKey: service.key });
});
afterAll(() => service[Symbol.asyncDispose]());

const added = async (name: string) => {
  const { data } = await petstore.POST("/pets", { body: { name, categoryId: 1 } });
  if (data === undefined) throw new TypeError("the animal was not added");
  return data;
};

describe("createPet", () => {
  test("201: data is the animal, its status filled in", async () => {
    const { data, error, response } = await petstore.POST("/pets", { body: { name: "Rex", categoryId: 1 } });
    expect(response.status).toBe(201);
    expect(error).toBeUndefined();
    expect(data).toEqual({ id: expect.any(Number), name: "Rex", categoryId: 1, status: "available" });
    expectTypeOf(data).toEqualTypeOf<Pet | undefined>();
  });

  test("201: a repeat with the same Idempotency-Key is the same animal", async () => {
    const init = { params: { header: { "Idempotency-Key": "client-1" } }, body: { name: "Once", categoryId: 1 } };
    const [first, again] = [await petstore.POST("/pets", init), await petstore.POST("/pets", init)];
    expect(again.data).toEqual(first.data);
    expect(again.response.headers.get("Idempotency-Replayed")).toBe("true");
  });

  test("400: error says what is wrong", async () => {
    // @ts-expect-error categoryId is missing
    const { data, error } = await petstore.POST("/pets", { body: { name: "Rex" } });
    expect(data).toBeUndefined();
    expect(error).toMatchObject({ code: "invalid_request", status: 400 });
    expectTypeOf(error).toEqualTypeOf<Error | undefined>();
  });

  test("the compiler refuses what the contract does not know", () => {
    const send = () => {
      // @ts-expect-error the status is none of the contract's
      void petstore.POST("/pets", { body: { name: "Rex", categoryId: 1, status: "lost" } });
      // @ts-expect-error there is no such path
      void petstore.GET("/animals");
      // @ts-expect-error the path has no such method
      void petstore.DELETE("/pets");
      // @ts-expect-error a body is required
      void petstore.POST("/pets", {});
    };
    expect(send).toBeTypeOf("function");
  });
});

describe("listPets", () => {
  test("200: data is a page, and the next one is linked", async () => {
    const pets = [await added("a"), await added("b")];
    const { data, response } = await petstore.GET("/pets", { params: { query: { limit: 1, status: "available" } } });
    expect(data).toHaveLength(1);
    expect(response.headers.get("Link")).toMatch(/rel="next"/);
    const all = await petstore.GET("/pets", { params: { query: { limit: 100 } } });
    expect(all.data).toEqual(expect.arrayContaining(pets));
    // @ts-expect-error limit is a number
    void (() => petstore.GET("/pets", { params: { query: { limit: "1" } } }));
  });

  test("401: with a key the service does not know", async () => {
    const stranger = createPetstoreClient({ baseUrl: service.baseUrl, apiKey: "pst_test_nobody" });
    const { error, response } = await stranger.GET("/pets");
    expect(response.status).toBe(401);
    expect(error?.code).toBe("unauthorized");
  });
});

describe("getPet", () => {
  test("200 and 404", async () => {
    const pet = await added("c");
    const found = await petstore.GET("/pets/{petId}", { params: { path: { petId: pet.id } } });
    expect(found.data).toEqual(pet);
    const missing = await petstore.GET("/pets/{petId}", { params: { path: { petId: -1 } } });
    expect(missing.error?.code).toBe("not_found");
    // @ts-expect-error petId is required
    void (() => petstore.GET("/pets/{petId}", { params: {} }));
  });
});

describe("createPetstoreClient", () => {
  test.each(["/v1", "localhost:3000/v1", "", undefined, new URL("https://api.petstore.example/v1")])(
    "refuses the baseUrl %s",
    (baseUrl) => {
      const create = () => createPetstoreClient({ baseUrl: baseUrl as string, apiKey: "k" });
      expect(create).toThrow(
        new TypeError("baseUrl has to be an absolute URL such as https://api.petstore.example/v1."),
      );
    },
  );

  test.each(["", "secret\n", undefined, null, 1])("refuses the apiKey %j, without showing it", (apiKey) => {
    const create = () => createPetstoreClient({ baseUrl: service.baseUrl, apiKey: apiKey as string });
    const message = "apiKey has to be the key as it was issued, without spaces or line breaks.";
    expect(create).toThrow(new TypeError(message));
  });

  test("uses the fetch it is given", async () => {
    const urls: string[] = [];
    const spying = createPetstoreClient({
      baseUrl: service.baseUrl,
      apiKey: service.key,
      fetch: (input, init) => {
        urls.push(new Request(input).url);
        return fetch(input, init);
      },
    });
    await spying.GET("/pets");
    expect(urls).toEqual([`${service.baseUrl}/pets`]);
  });
});
