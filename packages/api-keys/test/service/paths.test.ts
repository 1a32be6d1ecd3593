import { openDatabase } from "@openapi-operations/storage/database";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError, startService, type TestService } from "./start.ts";

let service: TestService;
beforeAll(async () => void (service = await startService()));
afterAll(() => service[Symbol.asyncDispose]());

describe("paths", () => {
  test.each([
    "/nope",
    "/",
    "",
    "/Things",
    "/things/",
    "/things/1/",
    "/things/1/x",
    "//things",
    "/things%2F1",
    "/none/inventory",
  ])("404 for %s", async (path) => void (await expectError(await service.request(path), 404, "not_found")));

  test("unnecessary percent-encoding does not change a path", async () => {
    expect((await service.request("/%74%68%69%6E%67%73")).status).toBe(200);
    expect((await service.request("/things?%6Cimit=1")).status).toBe(200);
    const headers = { Authorization: `Bearer ${service.key}` };
    expect((await fetch(new URL("/%76%31/%74%68%69%6E%67%73?limit=1", service.baseUrl), { headers })).status).toBe(200);
    expect((await fetch(new URL("/%68ealthz", service.baseUrl))).status).toBe(200);
  });

  test.each(["/V1/things", "/v1things", "/v2/things", "/admin"])("404 outside the base path, for %s", async (path) => {
    await expectError(await fetch(new URL(path, service.baseUrl)), 404, "not_found");
  });

  test.each([
    ["DELETE", "/things", "GET, HEAD, OPTIONS, POST"],
    ["PUT", "/things", "GET, HEAD, OPTIONS, POST"],
    ["PATCH", "/things/1", "GET, HEAD, OPTIONS"],
    ["POST", "/things/1", "GET, HEAD, OPTIONS"],
    ["PROPFIND", "/things", "GET, HEAD, OPTIONS, POST"],
  ])("405 for %s %s, with Allow: %s", async (method, path, allow) => {
    const response = await service.request(path, { method });
    expect(response.headers.get("Allow")).toBe(allow);
    await expectError(response, 405, "method_not_allowed");
  });

  test("OPTIONS needs no key and returns the allowed methods", async () => {
    const response = await service.request("/things", { method: "OPTIONS", key: null });
    expect(response.status).toBe(204);
    expect(response.headers.get("Allow")).toBe("GET, HEAD, OPTIONS, POST");
  });
});

describe("authentication", () => {
  test.each([
    {},
    { Authorization: "" },
    { Authorization: "Basic dXNlcjpwYXNz" },
    { Authorization: "Token bearer" },
    { "X-API-Key": "k" },
  ])("the challenge has no error parameter if no bearer token was sent: %o", async (headers) => {
    const response = await service.request("/things", { headers: headers as Record<string, string>, key: null });
    expect(response.headers.get("WWW-Authenticate")).toBe('Bearer realm="things"');
    await expectError(response, 401, "unauthorized");
  });
});

describe("outside the contract", () => {
  const get = (path: string, init?: RequestInit) => fetch(new URL(path, service.baseUrl), init);

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
});

describe("a failing database", () => {
  test("a missing table gives a 500 that does not reveal the cause", async () => {
    const own = await startService();
    const db = openDatabase(own.databaseUrl);
    await sql`alter table things rename to gone`.execute(db);
    await db.destroy();
    expect(await expectError(await own.request("/things"), 500, "internal_error")).not.toMatch(/things|table|sql/i);
    await own[Symbol.asyncDispose]();
  });
});
