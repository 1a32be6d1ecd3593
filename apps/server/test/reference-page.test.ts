import { afterAll, beforeAll, expect, test } from "vitest";
import { startService, type TestService } from "./service.ts";

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

test("the script is compressed for who asks, and kept for ever", async () => {
  const path = await scriptPath();
  const response = await get(path, { headers: { "Accept-Encoding": "gzip" } });
  expect(response.headers.get("Content-Encoding")).toBe("gzip");
  expect(response.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
  const plain = await get(path, { headers: { "Accept-Encoding": "identity" } });
  expect(plain.headers.get("Content-Encoding")).toBeNull();
  expect(await plain.text()).toBe(await response.text());
});

test("no other path below /docs is anything", async () => {
  for (const path of ["/docs/", "/docs/scalar.js", "/docs/..%2fapp.ts"]) expect((await get(path)).status).toBe(404);
});
