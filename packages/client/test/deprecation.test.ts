import { afterEach, describe, expect, test, vi } from "vitest";
import { startService } from "@petstore/server/testing";
import { createPetstore, type Deprecation } from "../src/index.ts";
import { faulty } from "./faulty.ts";

const deprecation: Deprecation = {
  operationId: "getPet",
  deprecatedAt: new Date("2026-11-21"),
  sunset: new Date("2030-12-05"),
  successor: "listPets",
};

describe("a deprecated operation", () => {
  test("is reported once, for calls by operation and by path, and for every status", async () => {
    await using service = await startService();
    const reported: Deprecation[] = [];
    const petstore = createPetstore({
      baseUrl: service.baseUrl,
      apiKey: service.key,
      onDeprecated: (event) => reported.push(event),
    });
    await petstore.listPets();
    expect(reported).toEqual([]);
    expect((await petstore.getPet({ petId: 1 })).status).toBe(404);
    await petstore.GET("/pets/{petId}", { params: { path: { petId: 1 } } });
    expect(reported).toEqual([deprecation]);
  });

  test("is reported without a response, with the contract's dates", async () => {
    const reported: Deprecation[] = [];
    await using server = await faulty(({ socket }) => socket.destroy(), {
      retry: false,
      onDeprecated: (event) => reported.push(event),
    });
    await server.petstore.getPet({ petId: 1 });
    expect(reported).toEqual([deprecation]);
  });

  test("is reported with the dates of the response, which are newer", async () => {
    const reported: Deprecation[] = [];
    const headers = { Deprecation: "@1800000000", Sunset: "Wed, 01 Jan 2031 00:00:00 GMT" };
    await using server = await faulty((_, response) => void response.writeHead(200, headers).end("{}"), {
      onDeprecated: (event) => reported.push(event),
    });
    await server.petstore.getPet({ petId: 1 });
    expect(reported).toEqual([
      { ...deprecation, deprecatedAt: new Date(1_800_000_000_000), sunset: new Date("2031-01-01") },
    ]);
  });
});

describe("an operation that only the response declares deprecated is reported once", () => {
  test.each([
    [{ Deprecation: "@1800000000" }, new Date(1_800_000_000_000), undefined, undefined],
    [{ Sunset: "Wed, 01 Jan 2031 00:00:00 GMT" }, undefined, new Date("2031-01-01"), undefined],
    [{ Deprecation: "true", Link: '</v2/pets>; rel="successor-version"' }, undefined, undefined, "/v2/pets"],
  ])("%o", async (headers, deprecatedAt, sunset, successor) => {
    const reported: Deprecation[] = [];
    await using server = await faulty((_, response) => void response.writeHead(200, headers).end("[]"), {
      onDeprecated: (event) => reported.push(event),
    });
    await server.petstore.listPets();
    await server.petstore.listPets();
    expect(reported).toEqual([{ operationId: "listPets", deprecatedAt, sunset, successor }]);
  });
});

describe("without onDeprecated", () => {
  afterEach(() => vi.restoreAllMocks());

  test("the console shows one warning, and none if onDeprecated is false", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    for (const options of [{}, { onDeprecated: false }] as const) {
      const petstore = createPetstore({
        baseUrl: "http://127.0.0.1/v1",
        apiKey: "k",
        fetch: async () => Response.json({}),
        ...options,
      });
      await petstore.getPet({ petId: 1 });
      await petstore.getPet({ petId: 1 });
    }
    expect(warn.mock.calls).toEqual([
      ["petstore: getPet is deprecated and will be removed on 2030-12-05. Use listPets."],
    ]);
  });
});
