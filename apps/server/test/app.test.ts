import { document } from "@petstore/contract/document";
import { createApiKey, revokeApiKey } from "@platform/api-keys/keys.repository";
import { openDatabase } from "@platform/storage/database";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Tables } from "../src/registrations.ts";
import { expectError, json, startService, type TestService } from "../testing/service.ts";

let service: TestService;
beforeAll(async () => void (service = await startService()));
afterAll(() => service[Symbol.asyncDispose]());

describe("paths", () => {
  test.each(["/nope", "/", "", "/Pets", "/pets/", "/pets/1/", "/pets/1/x", "//pets", "/pets%2F1", "/store/inventory"])(
    "404 for %s",
    async (path) => void (await expectError(await service.request(path), 404, "not_found")),
  );

  test("unnecessary percent-encoding does not change a path", async () => {
    expect((await service.request("/%70%65ts")).status).toBe(200);
    expect((await service.request("/pets?%6Cimit=1")).status).toBe(200);
    const headers = { Authorization: `Bearer ${service.key}` };
    expect((await fetch(new URL("/%76%31/%70ets?limit=1", service.baseUrl), { headers })).status).toBe(200);
    expect((await fetch(new URL("/%68ealthz", service.baseUrl))).status).toBe(200);
  });

  test.each(["/V1/pets", "/v1pets", "/v2/pets", "/admin"])("404 outside the base path, for %s", async (path) => {
    await expectError(await fetch(new URL(path, service.baseUrl)), 404, "not_found");
  });

  test.each([
    ["DELETE", "/pets", "GET, HEAD, OPTIONS, POST"],
    ["PUT", "/pets", "GET, HEAD, OPTIONS, POST"],
    ["PATCH", "/pets/1", "GET, HEAD, OPTIONS"],
    ["POST", "/pets/1", "GET, HEAD, OPTIONS"],
    ["PROPFIND", "/pets", "GET, HEAD, OPTIONS, POST"],
  ])("405 for %s %s, with Allow: %s", async (method, path, allow) => {
    const response = await service.request(path, { method });
    expect(response.headers.get("Allow")).toBe(allow);
    await expectError(response, 405, "method_not_allowed");
  });

  test("OPTIONS needs no key and returns the allowed methods", async () => {
    const response = await service.request("/pets", { method: "OPTIONS", key: null });
    expect(response.status).toBe(204);
    expect(response.headers.get("Allow")).toBe("GET, HEAD, OPTIONS, POST");
  });
});

describe("authentication", () => {
  const attempts = async (): Promise<[string, Record<string, string>][]> => {
    const db = openDatabase<Tables>(service.databaseUrl);
    const make = (expiresAt?: number) => createApiKey(db, { name: "test", environment: "development", expiresAt });
    const [expired, revoked, unknown] = [await make(Date.now() - 1), await make(), await make()];
    await revokeApiKey(db, revoked.id);
    await db.deleteFrom("api_keys").where("id", "=", unknown.id).execute();
    await db.destroy();
    return [
      ["expired", { Authorization: `Bearer ${expired.key}` }],
      ["revoked", { Authorization: `Bearer ${revoked.key}` }],
      ["unknown", { Authorization: `Bearer ${unknown.key}` }],
      ["malformed", { Authorization: "Bearer nonsense" }],
      ["bad checksum", { Authorization: `Bearer ${service.key.slice(0, -1)}${service.key.endsWith("0") ? "1" : "0"}` }],
      ["with a space", { Authorization: `Bearer ${service.key} x` }],
      ["lower case", { Authorization: `Bearer ${service.key.toLowerCase()}` }],
    ];
  };

  test("every invalid key gets the same response", async () => {
    for (const [title, headers] of await attempts()) {
      const response = await service.request("/pets", { headers, key: null });
      expect([title, response.headers.get("WWW-Authenticate")]).toEqual([
        title,
        'Bearer realm="petstore", error="invalid_token"',
      ]);
      const message = await expectError(response, 401, "unauthorized");
      expect(message).toBe("A valid API key is required, sent as: Authorization: Bearer <API_KEY>.");
    }
  });

  test.each([
    {},
    { Authorization: "" },
    { Authorization: "Basic dXNlcjpwYXNz" },
    { Authorization: "Token bearer" },
    { "X-API-Key": "k" },
  ])("the challenge has no error parameter if no bearer token was sent: %o", async (headers) => {
    const response = await service.request("/pets", { headers: headers as Record<string, string>, key: null });
    expect(response.headers.get("WWW-Authenticate")).toBe('Bearer realm="petstore"');
    await expectError(response, 401, "unauthorized");
  });

  test("the scheme's name is case-insensitive (RFC 9110, section 11.1)", async () => {
    const response = await service.request("/pets", { headers: { Authorization: `bEARER ${service.key}` } });
    expect(response.status).toBe(200);
  });

  test("a 403 names the missing scope, and nothing is written", async () => {
    const db = openDatabase(service.databaseUrl);
    const reader = await createApiKey(db, { name: "reader", environment: "development", scopes: ["pets:read"] });
    const writer = await createApiKey(db, { name: "writer", environment: "development", scopes: ["pets:write"] });
    await db.destroy();
    const refused = await service.request("/pets", { ...json({ name: "Rex", categoryId: 1 }), key: reader.key });
    expect(refused.headers.get("WWW-Authenticate")).toBe(
      'Bearer realm="petstore", error="insufficient_scope", scope="pets:write"',
    );
    await expectError(refused, 403, "forbidden");
    await expectError(await service.request("/pets", { key: writer.key }), 403, "forbidden");
    expect(await (await service.request("/pets", { key: reader.key })).json()).toEqual([]);
  });

  test("a revoked key fails from the next request on", async () => {
    const db = openDatabase(service.databaseUrl);
    const { id, key } = await createApiKey(db, { name: "short-lived", environment: "development" });
    expect((await service.request("/pets", { key })).status).toBe(200);
    await revokeApiKey(db, id);
    await expectError(await service.request("/pets", { key }), 401, "unauthorized");
    await db.destroy();
  });
});

describe("outside the contract", () => {
  const get = (path: string, init?: RequestInit) => fetch(new URL(path, service.baseUrl), init);

  test("/healthz, /readyz and /openapi.json need no key", async () => {
    expect(await (await get("/healthz")).json()).toEqual({ status: "ok" });
    expect(await (await get("/readyz")).json()).toEqual({ status: "ok" });
    expect(await (await get("/openapi.json")).json()).toMatchObject({ info: document.info, paths: document.paths });
  });

  test("every path accepts GET, HEAD and OPTIONS, and returns 405 with Allow for other methods", async () => {
    const script = /src="(\/docs\/[^"]+)"/.exec(await (await get("/docs")).text())![1]!;
    for (const path of ["/healthz", "/readyz", "/openapi.json", "/openapi.yaml", "/docs", script]) {
      const [answer, head] = [await get(path), await get(path, { method: "HEAD" })];
      expect([path, head.status, await head.text()]).toEqual([path, 200, ""]);
      expect(head.headers.get("Content-Type")).toBe(answer.headers.get("Content-Type"));
      for (const method of ["POST", "PUT", "DELETE", "PROPFIND"]) {
        const refused = await get(path, { method });
        expect(refused.headers.get("Allow")).toBe("GET, HEAD, OPTIONS");
        await expectError(refused, 405, "method_not_allowed");
      }
      const options = await get(path, { method: "OPTIONS" });
      expect([options.status, options.headers.get("Allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
    }
    for (const path of ["/docs/other.js", "/docs/%ff", "/docs/__proto__"])
      for (const method of ["GET", "POST", "OPTIONS"]) await expectError(await get(path, { method }), 404, "not_found");
  });

  test("a plain X-Request-Id is returned, and any other value is replaced", async () => {
    const idFor = async (id: string) =>
      (await get("/healthz", { headers: { "X-Request-Id": id } })).headers.get("X-Request-Id");
    expect(await idFor("order-66.1")).toBe("order-66.1");
    for (const odd of ["a b", "x".repeat(129), "<b>", service.key]) expect(await idFor(odd)).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("responses have the security headers, and do not name the software", async () => {
    const { headers } = await get("/healthz");
    expect(headers.get("Content-Security-Policy")).toBe("default-src 'none';frame-ancestors 'none'");
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(headers.has("X-Powered-By")).toBe(false);
  });
});

describe("a failing database", () => {
  test("a missing table gives a 500 that does not reveal the cause", async () => {
    const own = await startService();
    const db = openDatabase(own.databaseUrl);
    await sql`alter table pets rename to gone`.execute(db);
    await db.destroy();
    expect(await expectError(await own.request("/pets"), 500, "internal_error")).not.toMatch(/pets|table|sql/i);
    await own[Symbol.asyncDispose]();
  });
});
