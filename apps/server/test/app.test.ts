import { document } from "@petstore/contract/document";
import { generateApiKey } from "@openapi-operations/api-keys/api-key";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError, startService, type TestService } from "./petstore.ts";

describe("credentials", () => {
  test("a 401 says how to send an API key, whatever is wrong with the credentials", async () => {
    await using service = await startService();
    for (const key of [null, "nonsense", generateApiKey("development")]) {
      const response = await service.request("/pets", { key });
      expect(response.headers.get("WWW-Authenticate")).toMatch(/^Bearer realm="petstore"/);
      const message = await expectError(response, 401, "unauthorized");
      expect(message).toBe("A valid API key is required, sent as: Authorization: Bearer <API_KEY>.");
    }
  });
});

describe("requests of other origins", () => {
  let service: TestService;
  beforeAll(async () => void (service = await startService({ RATE_LIMIT: "1000/60" })));
  afterAll(() => service[Symbol.asyncDispose]());

  const Origin = "https://elsewhere.example";

  const listed = (response: Response, name: string) => response.headers.get(name)!.toLowerCase().split(", ");

  /** Returns the names in a header of a preflight's response, without a key. */
  const allowed = async (name: string) => {
    const headers = { Origin, "Access-Control-Request-Method": "POST" };
    return listed(await service.request("/pets", { method: "OPTIONS", key: null, headers }), name);
  };

  test("a preflight allows every header parameter of the contract, and If-Match for conditional changes", async () => {
    const parameters = Object.values(document.components.parameters).filter((parameter) => parameter.in === "header");
    expect(parameters.length).toBeGreaterThan(0);
    const names = [...parameters.map(({ name }) => name.toLowerCase()), "if-match"];
    expect(await allowed("Access-Control-Allow-Headers")).toEqual(expect.arrayContaining(names));
  });

  test("a preflight allows every method of the contract", async () => {
    const methods = Object.values(document.paths).flatMap(Object.keys);
    expect(await allowed("Access-Control-Allow-Methods")).toEqual(expect.arrayContaining(methods));
  });

  test("pages of other origins may read a response with every header of the contract", async () => {
    const { headers: _, ...components } = document.components; // these have names of their own
    const declared = headerNames({ ...document, components });
    expect(declared).toContain("link");
    const response = await service.request("/pets", { headers: { Origin } });
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    const others = ["allow", "ratelimit", "ratelimit-policy", "retry-after", "x-request-id"];
    expect(listed(response, "Access-Control-Expose-Headers")).toEqual(expect.arrayContaining([...declared, ...others]));
  });

  /** The name of every header that a response of the contract may carry, in lower case. */
  function headerNames(node: unknown): string[] {
    if (typeof node !== "object" || node === null) return [];
    return Object.entries(node).flatMap(([key, value]) => [
      ...(key === "headers" ? Object.keys(value as object).map((name) => name.toLowerCase()) : []),
      ...headerNames(value),
    ]);
  }
});
