import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import express from "express";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { originOf } from "../src/http/forwarded.ts";
import { isAuthority } from "../src/http/messages.ts";
import { startThings, type Things } from "../testing/start-things.ts";

describe("the origin of a service", () => {
  test.each([
    "",
    ":",
    "x",
    "X:80",
    "a-b.c_d~e",
    "1.2.3.4:",
    "[::1]",
    "[::ffff:1.2.3.4]:80",
    "[fe80::1]",
    "a!$&'()*+,;=b",
    "%41%ff",
  ])("isAuthority accepts %o", (host) => {
    expect(isAuthority(host)).toBe(true);
  });

  test.each([
    "a b",
    "a/b",
    "a?b",
    "a#b",
    "a@b",
    "a:b",
    "a:80:80",
    "[::1",
    "::1",
    "[]",
    "[::1]x",
    "%4",
    "%4g",
    "é",
    "a\n",
    "\\",
    "x[::1]",
  ])("isAuthority rejects %o", (host) => {
    expect(isAuthority(host)).toBe(false);
  });

  /** Responds with `originOf` the request. The app below `/trusting` trusts every proxy; the other app trusts none. */
  const server = createServer(
    { requireHostHeader: false },
    express()
      .use(
        "/trusting",
        express()
          .set("trust proxy", true)
          .use((request, response) => void response.send(`${originOf(request)}`)),
      )
      .use((request, response) => void response.send(`${originOf(request)}`)),
  );
  beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"));
  afterAll(() => void server.close());

  async function ask(path: string, headers: Record<string, string>): Promise<string> {
    const { port } = server.address() as AddressInfo;
    const asked = get({ host: "127.0.0.1", port, path, headers, setHost: false, agent: false });
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    return text(answer);
  }

  test.each([
    "shop.example",
    "shop.example:8080",
    "127.0.0.1:1",
    "[2001:db8::1]",
    "[2001:DB8::1]:65535",
    "a_b.example",
    "x".repeat(253),
  ])("originOf returns an origin for Host: %s", async (host) => {
    expect(await ask("/", { Host: host })).toBe(`http://${host}`);
  });

  test.each([
    "a@b",
    "x".repeat(254),
    "a:",
    "a:123456",
    "a:99999",
    "[::g]",
    "[:::1]",
    "[1]",
    "1.2.3.256",
    "x[::1]",
    "[::1]x",
    "a%41",
    "<a>",
  ])("originOf returns undefined for Host: %s", async (host) => {
    expect(await ask("/", { Host: host })).toBe("undefined");
  });

  test("originOf returns undefined for a request without Host", async () => {
    expect(await ask("/", {})).toBe("undefined");
  });

  test.each([
    ["Forwarded", "for=192.0.2.1"],
    ["Via", "1.1 proxy"],
    ["X-Forwarded-For", "192.0.2.1"],
    ["X-Forwarded-Host", "shop.example"],
    ["X-Forwarded-Proto", "https"],
  ])("originOf returns undefined for %s of an untrusted proxy", async (name, value) => {
    expect(await ask("/", { Host: "shop.example", [name]: value })).toBe("undefined");
  });

  test("originOf takes the scheme from a trusted proxy, and returns undefined without a scheme or with another host", async () => {
    const [Host, proto] = ["shop.example", { "X-Forwarded-Proto": "https" }];
    expect(await ask("/trusting", { Host })).toBe("http://shop.example");
    expect(await ask("/trusting", { Host, ...proto })).toBe("https://shop.example");
    expect(await ask("/trusting", { Host, ...proto, "X-Forwarded-Host": Host })).toBe("https://shop.example");
    expect(await ask("/trusting", { Host, ...proto, "X-Forwarded-Host": "other.example" })).toBe("undefined");
    expect(await ask("/trusting", { Host, "X-Forwarded-Host": Host })).toBe("undefined");
    expect(await ask("/trusting", { Host, Via: "1.1 proxy" })).toBe("undefined");
  });
});

describe("requests of other origins", () => {
  let service: Things;
  beforeAll(async () => void (service = await startThings()));
  afterAll(() => service[Symbol.asyncDispose]());

  const ASKING = { Origin: "https://elsewhere.example", "Access-Control-Request-Method": "POST" };
  const ALLOW_ORIGIN = "Access-Control-Allow-Origin";

  test("a preflight allows every method and header of an API, for a day", async () => {
    const response = await service.request("/things", { method: "OPTIONS", token: null, headers: ASKING });
    expect([response.status, await response.text()]).toEqual([204, ""]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
      "access-control-allow-headers":
        "Authorization, Consistency-Token, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id, traceparent, tracestate",
      "access-control-max-age": "86400",
    });
  });

  test.each([
    ["a success", "/things", {}, 200],
    ["an error", "/things", { token: null }, 401],
    ["an unknown path", "/nope", {}, 404],
    ["OPTIONS without the headers of a preflight", "/things", { method: "OPTIONS" }, 204],
    ["a GET with the headers of a preflight", "/things", { headers: ASKING }, 200],
  ])("pages of any origin can read the response and its headers: %s", async (_title, path, init, status) => {
    const response = await service.request(path, init);
    expect([response.status, response.headers.get(ALLOW_ORIGIN)]).toEqual([status, "*"]);
    expect(response.headers.has("Access-Control-Allow-Methods")).toBe(false);
    expect(response.headers.get("Access-Control-Expose-Headers")!.split(", ")).toEqual([
      "Accept-Encoding",
      "Allow",
      "Consistency-Token",
      "Deprecation",
      "ETag",
      "Idempotency-Replayed",
      "Link",
      "RateLimit",
      "RateLimit-Policy",
      "Retry-After",
      "Sunset",
      "WWW-Authenticate",
      "X-Request-Id",
    ]);
  });

  test("probes do not allow other origins, and are read-only", async () => {
    for (const path of ["/healthz", "/readyz"]) {
      const address = new URL(path, service.baseUrl);
      expect((await fetch(address, { headers: ASKING })).headers.has(ALLOW_ORIGIN)).toBe(false);
      const allowed = await fetch(address, { method: "OPTIONS" });
      expect([allowed.status, allowed.headers.get("Allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
    }
  });

  test("pages of any origin can read the document, but not the reference page or an unknown path", async () => {
    const paths = ["/openapi.json", "/openapi.yaml", "/docs", "/nope"];
    const responses = await Promise.all(
      paths.map((path) => fetch(new URL(path, service.baseUrl), { headers: { Origin: ASKING.Origin } })),
    );
    expect(responses.map(({ headers }) => headers.get(ALLOW_ORIGIN))).toEqual(["*", "*", null, null]);
  });
});
