import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { text as readText } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { withCodeSamples } from "../src/documents/reference-page.ts";
import { startThings, type Things } from "../testing/start-things.ts";
import { document } from "../testing/things.ts";

describe("the contract", () => {
  let service: Things;
  beforeAll(async () => void (service = await startThings()));
  afterAll(() => service[Symbol.asyncDispose]());

  const get = (path: string, init?: RequestInit) => fetch(new URL(path, service.baseUrl), init);

  /** Sends a GET with Node's client, because `fetch` does not let a caller set `Host`. */
  async function getWith(path: string, headers: Record<string, string>) {
    const sent = httpRequest(new URL(path, service.baseUrl), { headers }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const { statusCode: status, headers: received } = response;
    return { status, tag: received.etag!, text: await readText(response) };
  }

  describe.each([
    ["/openapi.json", "application/json", (text: string): unknown => JSON.parse(text)],
    ["/openapi.yaml", "application/yaml", (text: string): unknown => parse(text)],
  ] as const)("%s", (path, type, read) => {
    test("is the contract, for callers without a token and pages of any origin", async () => {
      const response = await get(path, { headers: { Origin: "https://elsewhere.example" } });
      expect(response.headers.get("Content-Type")).toBe(type);
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
      const { servers, ...served } = read(await response.text()) as typeof document;
      expect({ ...served, servers: servers.slice(1) }).toEqual(document);
      const headers = { "Access-Control-Request-Method": "GET" };
      const preflight = await get(path, { method: "OPTIONS", headers });
      expect(preflight.headers.get("Access-Control-Allow-Origin")).toBe("*");
    });

    test.each([
      ["the address of the request", {}, () => service.baseUrl],
      ["the name in Host", { Host: "shop.example:8080" }, () => "http://shop.example:8080/v1"],
      ["the address in Host", { Host: "[::1]:8080" }, () => "http://[::1]:8080/v1"],
      ["a relative address for a Host that is not valid in a URL", { Host: "a,b" }, () => "/v1"],
      ["a relative address for a port that does not exist", { Host: "shop.example:70000" }, () => "/v1"],
      ["a relative address for a long Host", { Host: "a".repeat(300) }, () => "/v1"],
      ["a relative address behind an untrusted proxy", { "X-Forwarded-Proto": "https" }, () => "/v1"],
    ] as [string, Record<string, string>, () => string][])("lists %s first", async (_, headers, address) => {
      const { text, tag } = await getWith(path, headers);
      const { servers } = read(text) as typeof document;
      expect(servers.map(({ url }) => url)).toEqual([address(), ...document.servers.map(({ url }) => url)]);
      expect((await getWith(path, { ...headers, "If-None-Match": tag })).status).toBe(304);
    });

    test("lists the scheme of a trusted proxy, or a relative address if the proxy sends no scheme or another host", async () => {
      await using behind = await startThings({ env: { TRUST_PROXY: "127.0.0.1" } });
      const { host, origin } = new URL(behind.baseUrl);
      const listed = async (headers: Record<string, string>) => {
        const response = await fetch(origin + path, { headers });
        return (read(await response.text()) as typeof document).servers[0].url;
      };
      const https = { "X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "https" };
      expect(await listed(https)).toBe(`https://${host}/v1`);
      expect(await listed({ Forwarded: "for=203.0.113.7;proto=https" })).toBe(`https://${host}/v1`);
      expect(await listed({ ...https, "X-Forwarded-Host": host })).toBe(`https://${host}/v1`);
      expect(await listed({ ...https, "X-Forwarded-Host": "evil.example" })).toBe("/v1");
      expect(await listed({ Forwarded: 'for=203.0.113.7;proto=https;host="shop.example"' })).toBe("/v1");
      expect(await listed({ "X-Forwarded-For": "203.0.113.7" })).toBe("/v1");
      expect(await listed({ Via: "1.1 proxy", "X-Forwarded-Proto": "javascript" })).toBe("/v1");
    });

    test("has a strong ETag, and a request with this ETag gets 304", async () => {
      const tag = (await get(path)).headers.get("ETag")!;
      expect(tag).toMatch(/^"[\w-]{22}"$/);
      for (const held of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
        const again = await get(path, { headers: { "If-None-Match": held } });
        expect([held, again.status, again.headers.get("ETag"), await again.text()]).toEqual([held, 304, tag, ""]);
      }
      expect((await get(path, { headers: { "If-None-Match": '"other"' } })).status).toBe(200);
    });

    test("responds to HEAD like to GET, without the body, and rejects POST with 405", async () => {
      const [whole, head] = [await get(path), await get(path, { method: "HEAD" })];
      expect(head.headers.get("ETag")).toBe(whole.headers.get("ETag"));
      expect(Number(head.headers.get("Content-Length"))).toBe((await whole.arrayBuffer()).byteLength);
      const refused = await get(path, { method: "POST" });
      expect([refused.status, refused.headers.get("Allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    });

    test("rejects other spellings of its path with 404", async () => {
      for (const other of [path.toUpperCase(), `${path}/`]) expect((await get(other)).status).toBe(404);
    });
  });

  test("the YAML has no anchors and aliases, because people read it", async () => {
    expect(await (await get("/openapi.yaml")).text()).not.toMatch(/: [&*]\w/);
  });
});

describe("code samples", () => {
  test("each operation with samples gets them, and nothing else changes", () => {
    const contract = {
      info: { title: "Things", version: "1.0.0" },
      paths: { "/things": { summary: "Things", get: { operationId: "listThings" }, post: {} } },
    };
    const samples = [{ lang: "shell", label: "curl", source: "curl </script>" }];
    const before = structuredClone(contract);
    expect(withCodeSamples(contract, { "GET /things": samples, "PUT /things": samples })).toEqual({
      ...contract,
      paths: {
        "/things": { ...contract.paths["/things"], get: { operationId: "listThings", "x-codeSamples": samples } },
      },
    });
    expect(contract).toEqual(before);
  });
});

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
