import { document } from "@petstore/contract/document";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError, json, startService, type TestService } from "../../testing/service.ts";

let service: TestService;
beforeAll(async () => void (service = await startService({ RATE_LIMIT: "1000/60" })));
afterAll(() => service[Symbol.asyncDispose]());

const Origin = "https://elsewhere.example";

/** Sends a preflight request without a key, as a browser does before a page's request. */
const ask = (path: string, method: string, headers: string) =>
  service.request(path, {
    method: "OPTIONS",
    key: null,
    headers: { Origin, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": headers },
  });

const listed = (response: Response, name: string) => response.headers.get(name)!.toLowerCase().split(", ");

describe("a preflight", () => {
  test.each([
    ["/pets", "GET", "authorization"],
    ["/pets", "POST", "authorization,content-type,idempotency-key"],
    ["/pets/1", "GET", "authorization,if-none-match,traceparent,tracestate,x-request-id"],
    ["/nope", "DELETE", "authorization"],
  ])("of %s allows %s with %s", async (path, method, headers) => {
    const response = await ask(path, method, headers);
    expect(response.status).toBe(204);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(listed(response, "Access-Control-Allow-Methods")).toContain(method.toLowerCase());
    expect(listed(response, "Access-Control-Allow-Headers")).toEqual(expect.arrayContaining(headers.split(",")));
  });

  test("allows every header parameter of the contract", async () => {
    const parameters = Object.values(document.components.parameters).filter((parameter) => parameter.in === "header");
    expect(parameters.length).toBeGreaterThan(0);
    const response = await ask("/pets", "POST", "");
    const names = parameters.map(({ name }) => name.toLowerCase());
    expect(listed(response, "Access-Control-Allow-Headers")).toEqual(expect.arrayContaining(names));
  });

  test("allows every method of the contract", async () => {
    const methods = Object.values(document.paths).flatMap(Object.keys);
    expect(listed(await ask("/pets", "GET", ""), "Access-Control-Allow-Methods")).toEqual(
      expect.arrayContaining(methods),
    );
  });

  test("may be cached by the browser for a day", async () => {
    expect((await ask("/pets", "GET", "authorization")).headers.get("Access-Control-Max-Age")).toBe("86400");
  });
});

describe("a response to a page of another origin", () => {
  test("may be read with every header of the contract", async () => {
    const { headers: _, ...components } = document.components; // these have names of their own
    const declared = headerNames({ ...document, components });
    expect(declared).toContain("link");
    const response = await service.request("/pets", { headers: { Origin } });
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    const others = ["allow", "ratelimit", "ratelimit-policy", "retry-after", "x-request-id"];
    expect(listed(response, "Access-Control-Expose-Headers")).toEqual(expect.arrayContaining([...declared, ...others]));
  });

  test.each([
    ["401", 401, "unauthorized", "/pets", { key: null }],
    ["404", 404, "not_found", "/nope", {}],
    ["405", 405, "method_not_allowed", "/pets", { method: "DELETE" }],
    ["400 of a body", 400, "invalid_request", "/pets", json("{")],
  ])("may be read if it is a %s", async (_title, status, code, path, init) => {
    const headers = new Headers("headers" in init ? init.headers : {});
    headers.set("Origin", Origin);
    const response = await service.request(path, { ...init, headers });
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    await expectError(response, status, code);
  });

  test("never allows the browser to add its own credentials", async () => {
    const response = await service.request("/pets", { headers: { Origin } });
    expect(response.headers.has("Access-Control-Allow-Credentials")).toBe(false);
  });
});

test("pages of other origins cannot read /healthz and /readyz", async () => {
  for (const path of ["/healthz", "/readyz"]) {
    const response = await fetch(new URL(path, service.baseUrl), { headers: { Origin } });
    expect(response.headers.has("Access-Control-Allow-Origin")).toBe(false);
  }
});

/** The name of every header that a response of the contract may carry, in lower case. */
function headerNames(node: unknown): string[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => [
    ...(key === "headers" ? Object.keys(value as object).map((name) => name.toLowerCase()) : []),
    ...headerNames(value),
  ]);
}
