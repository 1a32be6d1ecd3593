import { afterEach, describe, expect, test, vi } from "vitest";
import { startService } from "@petstore/server/testing";
import { createPetstore, type Deprecation } from "../src/index.ts";

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
