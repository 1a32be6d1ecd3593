import type { Pet } from "@petstore/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError, startService, type TestService } from "../petstore.ts";

describe("listPets", () => {
  let service: TestService;
  const pets: Pet[] = [];

  beforeAll(async () => {
    service = await startService();
    for (let index = 0; index < 25; index++) {
      const status = (["available", "pending", "sold"] as const)[index % 3];
      pets.push(await service.addPet({ name: `Pet ${index}`, categoryId: index, status }));
    }
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const list = async (query = "") => (await (await service.request(`/pets${query}`)).json()) as Pet[];

  test("200: returns the first 20 animals in the order of their ids", async () => {
    const response = await service.request("/pets");
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(pets.slice(0, 20));
  });

  test("200: returns at most `limit` animals, and only animals of the given status", async () => {
    expect(await list("?limit=1")).toEqual(pets.slice(0, 1));
    expect(await list("?limit=100")).toEqual(pets);
    expect(await list("?status=sold&limit=3")).toEqual(pets.filter((pet) => pet.status === "sold").slice(0, 3));
  });

  test.each(["", "?limit=7", "?limit=2&status=pending", "?limit=25", "?limit=5"])(
    "200: the pages of /pets%s contain each matching animal once, and the last page has no next link",
    async (query) => {
      const status = new URLSearchParams(query).get("status");
      const seen: Pet[] = [];
      let url: string | undefined = `${service.baseUrl}/pets${query}`;
      for (let page = 0; url !== undefined && page < 30; page++) {
        const response: Response = await service.request(url.slice(service.baseUrl.length));
        seen.push(...((await response.json()) as Pet[]));
        const target = /^<(\/v1\/pets\?[^>]+)>; rel="next"$/.exec(response.headers.get("Link") ?? "")?.[1];
        expect(response.headers.has("Link")).toBe(target !== undefined);
        url = target && new URL(target, url).href;
      }
      expect(url).toBeUndefined();
      expect(seen).toEqual(pets.filter((pet) => status === null || pet.status === status));
    },
  );

  test("304: the client's copy is current", async () => {
    const { headers } = await service.request("/pets?limit=2");
    const again = await service.request("/pets?limit=2", { headers: { "If-None-Match": headers.get("ETag")! } });
    expect(again.status).toBe(304);
  });

  test("200: an animal added during paging comes last and displaces no other", async () => {
    const own = await startService();
    await own.addPet({ name: "a", categoryId: 1 });
    await own.addPet({ name: "b", categoryId: 1 });
    const first = await own.request("/pets?limit=1");
    await own.addPet({ name: "c", categoryId: 1 });
    const next = /cursor=([^>]+)>/.exec(first.headers.get("Link")!)![1];
    const rest = (await (await own.request(`/pets?limit=100&cursor=${next}`)).json()) as Pet[];
    expect(rest.map((pet) => pet.name)).toEqual(["b", "c"]);
    await own[Symbol.asyncDispose]();
  });

  test("200: HEAD has the headers of GET and no body", async () => {
    const get = await service.request("/pets?limit=2");
    const head = await service.request("/pets?limit=2", { method: "HEAD" });
    expect(head.status).toBe(200);
    for (const name of ["Content-Type", "Content-Length", "Link"])
      expect(head.headers.get(name)).toBe(get.headers.get(name));
  });

  test.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=-1", "limit"],
    ["limit=1e1", "limit"],
    ["limit=0x10", "limit"],
    ["limit=%205", "limit"],
    ["limit=5.0", "limit"],
    ["limit=%2B5", "limit"],
    ["limit=05", "limit"],
    ["limit=", "limit"],
    ["limit=five", "limit"],
    ["limit=5&limit=6", "limit"],
    ["limit[]=5", "limit"],
    ["limit[a]=5", "limit"],
    ["status=lost", "status"],
    ["status=Available", "status"],
    ["status=", "status"],
    ["status=sold&status=sold", "status"],
    ["colour=red", "colour"],
    ["LIMIT=5", "LIMIT"],
    ["cursor=", "cursor"],
    ["cursor=x", "cursor"],
    ["cursor=MTo5OTk5OTk5OTk5OTk5OTk5", "cursor"],
    ["cursor=MToy=", "cursor"],
    ["cursor=MToy&cursor=MToy", "cursor"],
    [`cursor=${"A".repeat(65)}`, "cursor"],
  ])("400: ?%s names the parameter %s", async (query, name) => {
    const message = await expectError(await service.request(`/pets?${query}`), 400, "invalid_request");
    expect(message).toContain(`"${name}"`);
  });

  test("400: the error never repeats a name or value that could be markup", async () => {
    for (const query of ["<script>=1", "limit=<script>", "status=<script>", "cursor=<script>", "%3Cscript%3E=1"]) {
      const message = await expectError(await service.request(`/pets?${query}`), 400, "invalid_request");
      expect(message).not.toMatch(/script/);
    }
  });

  test("401: without a valid key", async () => {
    await expectError(await service.request("/pets", { key: null }), 401, "unauthorized");
  });

  test("default: 406 if JSON is not acceptable", async () => {
    await expectError(await service.request("/pets", { headers: { Accept: "text/html" } }), 406, "not_acceptable");
    expect((await service.request("/pets", { headers: { Accept: "text/html, application/json;q=0.1" } })).status).toBe(
      200,
    );
  });
});
