import { once } from "node:events";
import { startService, type TestService } from "@petstore/server/testing";
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import { createPetstore, type Items, type Pet, type Petstore, type Pets } from "../src/index.ts";
import { type Faulty, faulty, KEY } from "./faulty.ts";

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

describe("links", () => {
  test("to another origin are not followed, and that origin never receives the key", async () => {
    await using other = await faulty((_, response) => void response.end("[]"));
    await using server = await paged(() => `<${other.origin}/v1/pets>; rel="next"`);
    const read: unknown[] = [];
    await expect(collect(server, read)).rejects.toMatchObject({
      code: "unreadable_answer",
      message: "The response 200 (application/json) links to a next page of another origin.",
    });
    expect([read.length, server.requests.length, other.requests.length]).toEqual([1, 1, 0]);
  });

  test("may be relative to the page, absolute, or one of several", async () => {
    const links = [
      (origin: string) => `<${origin}/v1/pets?page=1>; title="a, b; rel=prev"; rel="last next"`,
      () => `</other>; rel="prev", <?page=2>; rel=next`,
      () => `</x>; rel="next"; anchor="/elsewhere", <pets?page=3>; REL="NEXT"`,
      () => `</v1/pets?page=4>; rel="nextish"`,
    ];
    await using server: Faulty = await paged((index) => links[index]!(server.origin));
    await collect(server, []);
    expect(server.requests).toEqual([
      "GET /v1/pets",
      "GET /v1/pets?page=1",
      "GET /v1/pets?page=2",
      "GET /v1/pets?page=3",
    ]);
  });

  test("in a cycle throw an error", async () => {
    await using server = await paged((index) => `</v1/pets?page=${(index + 1) % 3}>; rel="next"`);
    const read: unknown[] = [];
    await expect(collect(server, read)).rejects.toMatchObject({
      message: "The response 200 (application/json) links to a page that was already read.",
    });
    expect(read).toHaveLength(4);
  });
});

describe("an iteration", () => {
  test("sends no request before the first item, then requests at most one page ahead", async () => {
    await using server = await paged((index) => `</v1/pets?page=${index + 1}>; rel="next"`);
    const items = server.petstore.paginate.listPets()[Symbol.asyncIterator]();
    expect(server.requests).toEqual([]);
    for (let read = 1; read <= 3; read++) {
      await items.next();
      await server.petstore.GET("/pets", { headers: { "X-Fence": "1" } });
      expect(server.requests.filter((request) => request.includes("page=")).length).toBe(read);
    }
    await items.return!();
  });

  test("aborts the request for the next page if the loop ends early", async () => {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    await using server = await faulty(
      (request, response) => {
        if (request.url === "/v1/pets") {
          response.writeHead(200, { "Content-Type": "application/json", Link: '<?page=1>; rel="next"' }).end("[{}]");
        } else void once(response, "close").then(() => resolve());
      },
      { attemptTimeout: Infinity, timeout: Infinity }, // so that nothing else ends the request
    );
    const iterator = server.petstore.paginate.listPets().pages()[Symbol.asyncIterator]();
    await iterator.next();
    await expect.poll(() => server.requests.length).toBe(2);
    await iterator.return!();
    await ended;
  });

  test("is ended by its signal, between two items and during a request", async () => {
    await using server = await faulty((request, response) => {
      if (request.url === "/v1/pets") {
        response.writeHead(200, { "Content-Type": "application/json", Link: '<?page=1>; rel="next"' }).end("[{}, {}]");
      }
    });
    for (const count of [1, 2]) {
      const controller = new AbortController();
      let read = 0;
      const reading = async (): Promise<void> => {
        for await (const _pet of server.petstore.paginate.listPets({}, { signal: controller.signal })) {
          if (++read === count) setImmediate(() => controller.abort());
          if (count === 1) await once(controller.signal, "abort");
        }
      };
      await expect(reading()).rejects.toMatchObject({ name: "PetstoreError", code: "aborted", status: 0 });
      expect(read).toBe(count);
    }
  });
});

test("a redirect does not send the key to another origin", async () => {
  await using other = await faulty((_, response) => void response.end("[]"));
  await using server = await faulty((_, response) => void response.writeHead(307, { Location: other.baseUrl }).end());
  expect((await server.petstore.listPets()).error?.code).toBe("unreadable_answer");
  expect([other.requests, KEY]).toEqual([[], KEY]);
});

/** A server with one item on each page and with the test's links. */
function paged(link: (index: number, origin: string) => string): Promise<Faulty> {
  return faulty((request, response) => {
    const index = request.headers["x-fence"] ? 0 : Number(new URL(request.url!, "http://x").searchParams.get("page"));
    const isFence = request.headers["x-fence"] !== undefined;
    response.writeHead(200, { "Content-Type": "application/json", ...(!isFence && { Link: link(index, "") }) });
    response.end(JSON.stringify([{ id: index }]));
  });
}

async function collect({ petstore }: Faulty, into: unknown[]): Promise<void> {
  for await (const pet of petstore.paginate.listPets()) into.push(pet);
}
