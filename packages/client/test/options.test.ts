import { describe, expect, test } from "vitest";
import { createPetstore } from "../src/index.ts";

const baseUrl = "https://api.petstore.example/v1";

test.each(["", "secret\n", "sec ret", undefined, null, 1])(
  "createPetstore rejects the apiKey %j, without showing it",
  (apiKey) => {
    const message = "apiKey is not an API key. Pass it as issued, without spaces or line breaks.";
    expect(() => createPetstore({ baseUrl, apiKey: apiKey as string })).toThrow(new TypeError(message));
  },
);

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
