import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startThings, type Things } from "../testing/start-things.ts";

let service: Things;
beforeAll(async () => void (service = await startThings()));
afterAll(() => service[Symbol.asyncDispose]());

const get = (path: string, init?: RequestInit) => fetch(new URL(path, service.baseUrl), init);
const page = async () => (await get("/docs")).text();
const scriptPath = async () => /src="([^"]+)"/.exec(await page())![1]!;
const startScript = async () => /<script>(.*)<\/script>/.exec(await page())![1]!;
const READ_ONLY = "GET, HEAD, OPTIONS";

test("the policy allows only the page's own script, and connections only to the service", async () => {
  const policy = (await get("/docs")).headers.get("Content-Security-Policy")!;
  const hash = createHash("sha256")
    .update(await startScript())
    .digest("base64");
  expect(policy.split(";")).toEqual([
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);
});

test("the page shows the contract of this service, and sends requests to it", async () => {
  expect(await page()).toContain("<title>Things API 1.2.3</title>");
  expect(await settings()).toMatchObject({
    url: "/openapi.json",
    servers: [{ url: "/v1" }],
    authentication: { preferredSecurityScheme: "bearerAuth" },
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
    orderSchemaPropertiesBy: "preserve",
    showOperationId: true,
    defaultOpenAllTags: true,
    customCss: expect.stringContaining("--scalar-color"),
  });
});

test("the page sends no data to other hosts, and stores no key", async () => {
  expect(await settings()).toMatchObject({
    agent: { disabled: true },
    mcp: { disabled: true },
    telemetry: false,
    withDefaultFonts: false,
    persistAuth: false,
    hideClientButton: true,
    showDeveloperTools: "never",
  });
});

test("the page and its script have a Content-Type", async () => {
  const kinds = async (path: string) => (await get(path)).headers.get("Content-Type");
  expect(await kinds("/docs")).toBe("text/html; charset=utf-8");
  expect(await kinds(await scriptPath())).toBe("text/javascript; charset=utf-8");
});

test("the script is Scalar's, and its path contains its hash", async () => {
  const scalar = await readFile(new URL("browser/standalone.js", import.meta.resolve("@scalar/api-reference")));
  const path = await scriptPath();
  expect(Buffer.from(await (await get(path)).arrayBuffer()).equals(scalar)).toBe(true);
  const hash = createHash("sha256").update(scalar).digest("base64url");
  expect(path).toBe(`/docs/scalar-${hash.slice(0, 16)}.js`);
});

test("the script is compressed on request, and immutable in caches", async () => {
  const path = await scriptPath();
  const response = await get(path, { headers: { "Accept-Encoding": "gzip" } });
  expect(response.headers.get("Content-Encoding")).toBe("gzip");
  expect(response.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
  expect(response.headers.get("Vary")).toBe("Accept-Encoding");
  const plain = await get(path, { headers: { "Accept-Encoding": "identity" } });
  expect(plain.headers.get("Content-Encoding")).toBeNull();
  expect(await plain.text()).toBe(await response.text());
});

test.each(["/", "/docs/"])("%s redirects GET and HEAD to the page", async (path) => {
  const shownPage = await get(path);
  expect([shownPage.redirected, shownPage.status, shownPage.url]).toEqual([
    true,
    200,
    new URL("/docs", service.baseUrl).href,
  ]);
  for (const method of ["GET", "HEAD"]) {
    const response = await get(path, { method, redirect: "manual" });
    expect([response.status, response.headers.get("Content-Length"), await response.text()]).toEqual([302, "0", ""]);
    // Relative, so that it is also right if a proxy removes a path prefix.
    const shown = new URL(`https://a.example/things${path}`);
    expect(new URL(response.headers.get("Location")!, shown).href).toBe("https://a.example/things/docs");
  }
});

test("the page, its script and its redirects reject POST with 405", async () => {
  for (const path of ["/", "/docs/", "/docs", await scriptPath()]) {
    const refused = await get(path, { method: "POST" });
    expect([path, refused.status, refused.headers.get("Allow")]).toEqual([path, 405, READ_ONLY]);
    const allowed = await get(path, { method: "OPTIONS" });
    expect([path, allowed.status, allowed.headers.get("Allow")]).toEqual([path, 204, READ_ONLY]);
  }
});

test("similar paths get 404", async () => {
  const script = await scriptPath();
  const others = [
    "/docs/scalar.js",
    "/docs/..%2fapp.ts",
    "/DOCS",
    "/DOCS/",
    `${script}/`,
    `${script}/x`,
    `/x${script}`,
  ];
  for (const path of others) expect([path, (await get(path)).status]).toEqual([path, 404]);
});

/** Returns the settings that the page's own script passes to Scalar. */
async function settings(): Promise<unknown> {
  const [, json = ""] = /^Scalar\.createApiReference\("#reference", (.*)\)$/.exec(await startScript())!;
  return JSON.parse(json);
}
