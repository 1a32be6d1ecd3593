import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError, startService, type TestService } from "../petstore.ts";

describe("getPet", () => {
  let service: TestService;
  beforeAll(async () => void (service = await startService()));
  afterAll(() => service[Symbol.asyncDispose]());

  test("200: returns the animal, with the headers of the deprecation", async () => {
    const pet = await service.addPet();
    const response = await service.request(`/pets/${pet.id}`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(pet);
    expect(response.headers.get("Deprecation")).toBe(`@${Date.UTC(2026, 10, 21) / 1000}`);
    expect(response.headers.get("Sunset")).toBe("Thu, 05 Dec 2030 00:00:00 GMT");
    expect(response.headers.get("Link")).toBe('</v1/pets>; rel="successor-version"');
  });

  test("304: the client's copy is current", async () => {
    const { id } = await service.addPet();
    const { headers } = await service.request(`/pets/${id}`);
    const again = await service.request(`/pets/${id}`, { headers: { "If-None-Match": headers.get("ETag")! } });
    expect(again.status).toBe(304);
  });

  test.each([
    "abc",
    "1.0",
    "1e0",
    "0x1",
    "+1",
    "01",
    "-0",
    "%201",
    "9007199254740992",
    "-9007199254740992",
    "1".repeat(400),
  ])("400: %s is not an identifier", async (id) => {
    expect(await expectError(await service.request(`/pets/${id}`), 400, "invalid_request")).toContain('"petId"');
  });

  test("400: for broken percent-encoding and for a query parameter", async () => {
    await expectError(await service.request("/pets/%zz"), 400, "invalid_request");
    await expectError(await service.request("/pets/%ff"), 400, "invalid_request");
    await expectError(await service.request("/pets/1?limit=1"), 400, "invalid_request");
  });

  test("401: without a valid key", async () => {
    await expectError(await service.request("/pets/1", { key: null }), 401, "unauthorized");
  });

  test.each(["0", "-1", "999999", "9007199254740991", "-9007199254740991"])(
    "404: no animal has the id %s",
    async (id) => {
      await expectError(await service.request(`/pets/${id}`), 404, "not_found");
    },
  );
});
