import { startService, type TestService } from "@petstore/server/testing";
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import { createPetstore, type Items, type Pet, type Petstore, type Pets } from "../src/index.ts";
import { faulty, KEY } from "./faulty.ts";

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
  await using server = await faulty((_, response) => void response.writeHead(307, { Location: other.baseUrl }).end());
  expect((await server.petstore.listPets()).error?.code).toBe("unreadable_answer");
  expect([other.requests, KEY]).toEqual([[], KEY]);
});
