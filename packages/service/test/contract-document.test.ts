import { once } from "node:events";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { text as readText } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { startThings, type Things } from "../testing/start-things.ts";
import { document } from "../testing/things.ts";

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
