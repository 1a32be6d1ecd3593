import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { creation, startService, type TestService } from "./start.ts";

let service: TestService;
beforeAll(async () => void (service = await startService()));
afterAll(() => service[Symbol.asyncDispose]());

const request = (path: string, init: RequestInit = {}) => {
  const headers = { Authorization: `Bearer ${service.key}`, ...(init.headers as object) };
  return fetch(new URL(path, service.baseUrl), { ...init, headers });
};

describe("Cache-Control", () => {
  const kept = async (path: string, init?: RequestInit) => {
    const response = await request(path, init);
    return [response.status, response.headers.get("Cache-Control"), response.headers.has("ETag")];
  };

  test("is private and no-cache for responses with an ETag, which the client may store and must revalidate", async () => {
    const { id } = await service.add();
    for (const path of ["/v1/things", `/v1/things/${id}`]) {
      const tag = (await request(path)).headers.get("ETag")!;
      expect([path, ...(await kept(path))]).toEqual([path, 200, "private, no-cache", true]);
      expect([path, ...(await kept(path, { method: "HEAD" }))]).toEqual([path, 200, "private, no-cache", true]);
      const again = await kept(path, { headers: { "If-None-Match": tag } });
      expect([path, ...again]).toEqual([path, 304, "private, no-cache", true]);
    }
  });

  test("is private and no-cache for responses with an ETag even if other headers were set before", async () => {
    await using own = await startService({ RATE_LIMIT: "1000/60" });
    for (const [status, headers] of [
      [200, {}],
      [304, { "If-None-Match": "*" }],
    ] as const) {
      const response = await own.request("/things", { headers });
      expect([response.status, response.headers.get("Cache-Control")]).toEqual([status, "private, no-cache"]);
    }
  });

  test("is no-store for all other responses", async () => {
    const preflight = { Origin: "https://a.example", "Access-Control-Request-Method": "GET" };
    const answers = [
      [201, "/v1/things", creation("cup")],
      [204, "/v1/things", { method: "OPTIONS" }],
      [204, "/v1/things", { method: "OPTIONS", headers: preflight }],
      [400, "/v1/things?limit=0", {}],
      [401, "/v1/things", { headers: { Authorization: "Bearer x" } }],
      [404, "/v1/things/999999", {}],
      [404, "/v1/nope", {}],
      [404, "/nope", {}],
      [405, "/v1/things", { method: "DELETE" }],
      [406, "/v1/things", { headers: { Accept: "text/html" } }],
      [412, "/v1/things", creation("cup", { "If-None-Match": "*" })],
      [415, "/v1/things", { method: "POST", body: "x" }],
      [200, "/healthz", {}],
      [200, "/readyz", {}],
      [405, "/healthz", { method: "POST" }],
      [302, "/", { redirect: "manual" }],
    ] as const;
    for (const [status, path, init] of answers)
      expect([path, init, ...(await kept(path, init))]).toEqual([path, init, status, "no-store", false]);
  });
});
