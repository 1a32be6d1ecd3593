import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type Express } from "express";
import helmet from "helmet";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createDefaultHeaders } from "../src/http/default-headers.ts";
import { sendDefaultHeaders } from "../src/http/messages.ts";
import { json, startThings, type Things } from "../testing/start-things.ts";

describe("default headers", () => {
  let service: Things;
  beforeAll(async () => void (service = await startThings()));
  afterAll(() => service[Symbol.asyncDispose]());

  const request = (path: string, init: RequestInit = {}) => {
    const headers = { Authorization: `Bearer good`, ...(init.headers as object) };
    return fetch(new URL(path, service.baseUrl), { ...init, headers });
  };

  describe("Strict-Transport-Security", () => {
    const NAME = "Strict-Transport-Security";

    test("is not sent by default", async () => {
      for (const path of ["/v1/things", "/nope", "/healthz", "/docs"])
        expect([path, (await request(path)).headers.has(NAME)]).toEqual([path, false]);
    });

    test("is sent with each response if STRICT_TRANSPORT_SECURITY is set", async () => {
      const value = "max-age=600; includeSubDomains";
      await using own = await startThings({ env: { STRICT_TRANSPORT_SECURITY: value } });
      for (const path of ["/v1/things", "/nope", "/healthz", "/docs"])
        expect([path, (await fetch(new URL(path, own.baseUrl))).headers.get(NAME)]).toEqual([path, value]);
    });
  });

  describe("the default headers", () => {
    const app = appWithDefaultHeaders();
    const server = createServer(app);
    beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"));
    afterAll(() => void server.close());

    const tag = { ETag: '"a"' };
    const kept = { "Cache-Control": "public" };
    test.each<[title: string, cacheControl: string, begin: (response: express.Response) => unknown]>([
      ["without headers", "no-store", (response) => response.writeHead(200)],
      ["with null as headers", "no-store", (response) => response.writeHead(200, null as never)],
      ["with headers", "no-store", (response) => response.writeHead(200, { A: "b" })],
      ["with headers and a phrase", "no-store", (response) => response.writeHead(200, "Fine", { A: "b" })],
      ["with a phrase", "no-store", (response) => response.writeHead(200, "Fine")],
      ["with a list of headers", "no-store", (response) => response.writeHead(200, ["A", "b"])],
      ["with headers set before", "no-store", (response) => response.set("A", "b").writeHead(200, { C: "d" })],
      ["with a tag", "private, no-cache", (response) => response.writeHead(200, tag)],
      ["with a tag set before", "private, no-cache", (response) => response.set(tag).writeHead(200, { A: "b" })],
      [
        "with a tag, behind headers set before",
        "private, no-cache",
        (response) => response.set("A", "b").writeHead(200, tag),
      ],
      [
        "with a rule of its own, behind headers set before",
        "public",
        (response) => response.set("A", "b").writeHead(200, kept),
      ],
      ["with a tag and a rule of its own", "public", (response) => response.writeHead(200, { ...tag, ...kept })],
      ["with those set before", "public", (response) => response.set({ ...tag, ...kept }).writeHead(200)],
      ["with a rule of its own", "public", (response) => response.writeHead(200, kept)],
    ])("apply to a response begun %s", async (title, cacheControl, begin) => {
      const path = `/${title.replaceAll(" ", "-")}`;
      app.get(path, (_request, response) => {
        begin(response);
        response.end();
      });
      const { port } = server.address() as AddressInfo;
      const { headers } = await fetch(`http://127.0.0.1:${port}${path}`);
      expect(Object.fromEntries(headers)).toMatchObject({
        ...DEFAULT_HEADERS,
        "x-request-id": "order-66",
        "cache-control": cacheControl,
      });
    });
  });

  /** Returns an app whose responses have the default headers and an id. */
  function appWithDefaultHeaders(): Express {
    const app = express().disable("x-powered-by").disable("etag");
    sendDefaultHeaders(app);
    const defaultHeaders = createDefaultHeaders();
    return app.use((_request, response, next) => {
      response.locals = { defaultHeaders, id: "order-66" };
      next();
    });
  }

  test("a value that no header can have is an error at start, and adds no line to the head", () => {
    expect(() => createDefaultHeaders("max-age=1\r\nSet-Cookie: a=b")).toThrow("Strict-Transport-Security");
  });

  test("a default header is not repeated if a handler sets it in another case", async () => {
    const app = appWithDefaultHeaders();
    app.use((_request, response) => void response.writeHead(200, { "cache-control": "public" }).end());
    const server = createServer(app).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { headers } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(headers.get("Cache-Control")).toBe("public");
  });

  /** The headers of every response. */
  const DEFAULT_HEADERS = {
    "content-security-policy": "default-src 'none';frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "origin-agent-cluster": "?1",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-dns-prefetch-control": "off",
    "x-download-options": "noopen",
    "x-frame-options": "SAMEORIGIN",
    "x-permitted-cross-domain-policies": "none",
    "x-xss-protection": "0",
  };
  /** Headers that would reveal the software, or allow a browser to send credentials or store a cookie. */
  const NEVER = ["server", "via", "x-powered-by", "access-control-allow-credentials", "set-cookie"];

  const PREFLIGHT = { method: "OPTIONS", headers: { "Access-Control-Request-Method": "GET" } };

  test.each<[title: string, status: number, path: string, init: RequestInit]>([
    ["a probe", 200, "/healthz", {}],
    ["a list", 200, "/v1/things", {}],
    ["HEAD", 200, "/v1/things", { method: "HEAD" }],
    ["an added thing", 201, "/v1/things", json({ name: "cup" })],
    ["OPTIONS", 204, "/v1/things", { method: "OPTIONS" }],
    ["a preflight", 204, "/v1/things", PREFLIGHT],
    ["the unchanged contract", 304, "/openapi.json", { headers: { "If-None-Match": "*" } }],
    ["an invalid query", 400, "/v1/things?limit=0", {}],
    ["a missing key", 401, "/v1/things", { headers: { Authorization: "" } }],
    ["an unknown path", 404, "/nope", {}],
    ["a wrong method", 405, "/v1/things", { method: "DELETE" }],
    ["a body that is too large", 413, "/v1/things", json("x".repeat(70_000))],
  ])("%s (%i) has the default headers", async (_title, status, path, init) => {
    const headers = { Authorization: `Bearer good`, ...(init.headers as Record<string, string>) };
    const answer = await fetch(new URL(path, service.baseUrl), { ...init, headers });
    expect(answer.status).toBe(status);
    expect(Object.fromEntries(answer.headers)).toMatchObject(DEFAULT_HEADERS);
    for (const name of NEVER) expect([name, answer.headers.get(name)]).toEqual([name, null]);
  });

  test("a handler's header replaces a default header: the page has its own policy", async () => {
    const { headers } = await fetch(new URL("/docs", service.baseUrl));
    const { "content-security-policy": _, ...others } = DEFAULT_HEADERS;
    expect(Object.fromEntries(headers)).toMatchObject(others);
    expect(
      headers
        .get("Content-Security-Policy")!
        .split(";")
        .map((directive) => directive.split(" ")[0]),
    ).toEqual([
      "default-src",
      "script-src",
      "style-src",
      "img-src",
      "font-src",
      "connect-src",
      "base-uri",
      "form-action",
      "frame-ancestors",
    ]);
  });

  test("the default headers equal helmet's, except the policy and Strict-Transport-Security", async () => {
    const app = express().disable("x-powered-by");
    app.use(helmet({ contentSecurityPolicy: false, strictTransportSecurity: false }));
    app.get("/", (_request, response) => void response.writeHead(200).end());
    const server = createServer(app).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { headers } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const { "content-security-policy": _, ...others } = DEFAULT_HEADERS;
    const ofNode = new Set(["connection", "date", "keep-alive", "transfer-encoding"]);
    expect(Object.fromEntries([...headers].filter(([name]) => !ofNode.has(name)))).toEqual(others);
  });
});

/** Stored by the client only, and revalidated each time. */
const REVALIDATED = "private, no-cache";
const NEVER = "no-store";
/** The name of the file changes with its content. */
const FOR_EVER = "public, max-age=31536000, immutable";
const SCRIPT = "the script of /docs";

let service: Things;
beforeAll(async () => void (service = await startThings()));
afterAll(() => service[Symbol.asyncDispose]());

const get = async (path: string, headers: Record<string, string> = {}): Promise<Response> => {
  const asked = new URL(path === SCRIPT ? await scriptPath() : path, service.baseUrl);
  return fetch(asked, { headers: { "Accept-Encoding": "gzip", ...headers } });
};
const scriptPath = async () => /src="([^"]+)"/.exec(await (await get("/docs")).text())![1]!;

/** The caching headers of each response outside the API, and whether it has an ETag. */
const ANSWERS: { path: string; cacheControl: string; vary: string | null; isTagged: boolean }[] = [
  { path: "/openapi.json", cacheControl: REVALIDATED, vary: null, isTagged: true },
  { path: "/openapi.yaml", cacheControl: REVALIDATED, vary: null, isTagged: true },
  { path: "/docs", cacheControl: NEVER, vary: null, isTagged: false },
  { path: SCRIPT, cacheControl: FOR_EVER, vary: "Accept-Encoding", isTagged: false },
];

const cachingOf = ({ status, headers }: Response) => ({
  status,
  cacheControl: headers.get("Cache-Control"),
  vary: headers.get("Vary"),
  isTagged: headers.has("ETag"),
});

test.each(ANSWERS)(
  "the caching headers of $path: Cache-Control $cacheControl, Vary $vary",
  async ({ path, ...expected }) => {
    expect(cachingOf(await get(path))).toEqual({ status: 200, ...expected });
  },
);

test.each(ANSWERS.filter(({ isTagged }) => isTagged))(
  "a 304 for $path has the same caching headers as the 200 (RFC 9110, section 15.4.5)",
  async ({ path, ...expected }) => {
    const tag = (await get(path)).headers.get("ETag")!;
    const again = await get(path, { "If-None-Match": tag });
    expect({ ...cachingOf(again), tag: again.headers.get("ETag") }).toEqual({ status: 304, ...expected, tag });
  },
);

test("the script has Vary even if it is not compressed", async () => {
  const { headers } = await get(SCRIPT, { "Accept-Encoding": "identity" });
  expect([headers.get("Content-Encoding"), headers.get("Vary"), headers.get("Cache-Control")]).toEqual([
    null,
    "Accept-Encoding",
    FOR_EVER,
  ]);
});
