import { afterAll, beforeAll, expect, test } from "vitest";
import { startService, type TestService } from "../testing/service.ts";

let service: TestService;
beforeAll(async () => void (service = await startService()));
afterAll(() => service[Symbol.asyncDispose]());

const get = (path: string, init?: RequestInit) => fetch(new URL(path, service.baseUrl), init);
const scriptPath = async () => /src="([^"]+)"/.exec(await (await get("/docs")).text())![1]!;

test("the page may run nothing but our script, and reach nothing but the service", async () => {
  const policy = (await get("/docs")).headers.get("Content-Security-Policy")!;
  expect(policy).toMatch(/^default-src 'none';script-src 'self' 'sha256-[\w+/=]+';style-src 'self' 'unsafe-inline';/);
  expect(policy).toContain(";connect-src 'self';");
  expect(policy).toContain(";frame-ancestors 'none'");
});

test("the page and its script say what they are", async () => {
  const kinds = async (path: string) => (await get(path)).headers.get("Content-Type");
  expect(await kinds("/docs")).toBe("text/html; charset=utf-8");
  expect(await kinds(await scriptPath())).toBe("text/javascript; charset=utf-8");
});

test("the script is compressed for who asks, and kept for ever", async () => {
  const path = await scriptPath();
  const response = await get(path, { headers: { "Accept-Encoding": "gzip" } });
  expect(response.headers.get("Content-Encoding")).toBe("gzip");
  expect(response.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
  expect(response.headers.get("Vary")).toBe("Accept-Encoding");
  const plain = await get(path, { headers: { "Accept-Encoding": "identity" } });
  expect(plain.headers.get("Content-Encoding")).toBeNull();
  expect(await plain.text()).toBe(await response.text());
});

test.each(["/", "/docs/"])("%s leads to the page, for GET and HEAD alone", async (path) => {
  const page = await get(path);
  expect([page.redirected, page.status, page.url]).toEqual([true, 200, new URL("/docs", service.baseUrl).href]);
  for (const method of ["GET", "HEAD"]) {
    const response = await get(path, { method, redirect: "manual" });
    expect([response.status, await response.text()]).toEqual([302, ""]);
    // Relative, so that it is right below a path that a proxy takes away.
    const shown = new URL(`https://a.example/petstore${path}`);
    expect(new URL(response.headers.get("Location")!, shown).href).toBe("https://a.example/petstore/docs");
  }
  const refused = await get(path, { method: "POST" });
  expect([refused.status, refused.headers.get("Allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
});

test("no other path below /docs is anything", async () => {
  for (const path of ["/docs/scalar.js", "/docs/..%2fapp.ts"]) expect((await get(path)).status).toBe(404);
});
