import { describe, expect, test } from "vitest";
import { createPetstore, type PetstoreOptions } from "../src/index.ts";

const baseUrl = "https://api.petstore.example/v1";

describe("createPetstore rejects", () => {
  test.each([
    "/v1",
    "localhost:3000/v1",
    "",
    undefined,
    "ftp://x/v1",
    "https://",
    "https://me:secret@x/v1",
    `${baseUrl}?key=1`,
  ])("the baseUrl %s", (wrong) => {
    const message = "baseUrl is not a service URL. Pass one such as https://api.petstore.example/v1.";
    expect(() => createPetstore({ baseUrl: wrong as string, apiKey: "k" })).toThrow(new TypeError(message));
  });

  test.each(["", "secret\n", "sec ret", undefined, null, 1])("the apiKey %j, without showing it", (apiKey) => {
    const message = "apiKey is not an API key. Pass it as issued, without spaces or line breaks.";
    expect(() => createPetstore({ baseUrl, apiKey: apiKey as string })).toThrow(new TypeError(message));
  });

  test.each([
    ["timeout", { timeout: -1 }],
    ["attemptTimeout", { attemptTimeout: Number.NaN }],
    ["timeout", { timeout: "5" as unknown as number }],
    ["limit", { retry: { limit: -1 } }],
    ["baseDelay", { retry: { baseDelay: Number.NaN } }],
  ] satisfies [string, Partial<PetstoreOptions>][])("an invalid %s by name, in %o", (name, options) => {
    const message = `${name} must be a number of at least 0.`;
    expect(() => createPetstore({ baseUrl, apiKey: "k", ...options })).toThrow(new TypeError(message));
  });

  test("an invalid option of a call rejects that call only", async () => {
    const petstore = createPetstore({ baseUrl, apiKey: "k" });
    await expect(petstore.listPets({}, { timeout: -1 })).rejects.toThrow(TypeError);
    await expect(petstore.listPets({}, { timeout: -1 }).orThrow()).rejects.toThrow(TypeError);
  });
});

describe("createPetstore", () => {
  test.each([baseUrl, `${baseUrl}/`, `${baseUrl}//`])("takes the baseUrl %s", async (given) => {
    const urls: string[] = [];
    const petstore = createPetstore({
      baseUrl: given,
      apiKey: "k",
      fetch: async (url) => (urls.push(url), Response.json([])),
    });
    await petstore.listPets({ limit: 5, status: "sold" });
    expect(urls).toEqual([`${baseUrl}/pets?limit=5&status=sold`]);
  });

  test("sends the key and the headers of a call through the custom fetch", async () => {
    const sent: (string | null)[][] = [];
    const fetch = async (_url: string, init: RequestInit) => {
      const headers = new Headers(init.headers);
      sent.push([headers.get("Authorization"), headers.get("traceparent")]);
      return Response.json([]);
    };
    await createPetstore({ baseUrl, apiKey: "pst_test_1", fetch }).listPets({}, { headers: { traceparent: "00-1" } });
    expect(sent).toEqual([["Bearer pst_test_1", "00-1"]]);
  });

  test("does not expose its key to inspection", async () => {
    const { inspect } = await import("node:util");
    const petstore = createPetstore({ baseUrl, apiKey: "pst_test_1" });
    expect(inspect(petstore, { depth: 10, showHidden: true }) + JSON.stringify(petstore)).not.toContain("pst_test_1");
  });
});
