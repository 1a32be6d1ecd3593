import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { addStanding, standingHeaders } from "@platform/service/request-state";
import express, { type Response } from "express";
import helmet from "helmet";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { json, startService, type TestService } from "../../testing/service.ts";

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

  test("what has a tag may be kept by the client that asked, who asks before it uses that again", async () => {
    const { id } = await service.addPet();
    for (const path of ["/v1/pets", `/v1/pets/${id}`]) {
      const tag = (await request(path)).headers.get("ETag")!;
      expect([path, ...(await kept(path))]).toEqual([path, 200, "private, no-cache", true]);
      expect([path, ...(await kept(path, { method: "HEAD" }))]).toEqual([path, 200, "private, no-cache", true]);
      const again = await kept(path, { headers: { "If-None-Match": tag } });
      expect([path, ...again]).toEqual([path, 304, "private, no-cache", true]);
    }
  });

  test("what has a tag is so too where other headers are set on it before", async () => {
    await using own = await startService({ RATE_LIMIT: "1000/60" });
    for (const [status, headers] of [
      [200, {}],
      [304, { "If-None-Match": "*" }],
    ] as const) {
      const response = await own.request("/pets", { headers });
      expect([response.status, response.headers.get("Cache-Control")]).toEqual([status, "private, no-cache"]);
    }
  });

  test("nothing else is kept", async () => {
    const preflight = { Origin: "https://a.example", "Access-Control-Request-Method": "GET" };
    const answers = [
      [201, "/v1/pets", json({ name: "Rex", categoryId: 1 })],
      [204, "/v1/pets", { method: "OPTIONS" }],
      [204, "/v1/pets", { method: "OPTIONS", headers: preflight }],
      [400, "/v1/pets?limit=0", {}],
      [401, "/v1/pets", { headers: { Authorization: "Bearer x" } }],
      [404, "/v1/pets/999999", {}],
      [404, "/v1/nope", {}],
      [404, "/nope", {}],
      [405, "/v1/pets", { method: "DELETE" }],
      [406, "/v1/pets", { headers: { Accept: "text/html" } }],
      [412, "/v1/pets", json({ name: "Rex", categoryId: 1 }, { "If-None-Match": "*" })],
      [415, "/v1/pets", { method: "POST", body: "x" }],
      [200, "/healthz", {}],
      [200, "/readyz", {}],
      [405, "/healthz", { method: "POST" }],
      [302, "/", { redirect: "manual" }],
    ] as const;
    for (const [status, path, init] of answers)
      expect([path, init, ...(await kept(path, init))]).toEqual([path, init, status, "no-store", false]);
  });
});

describe("Strict-Transport-Security", () => {
  const NAME = "Strict-Transport-Security";

  test("is sent by no service that is asked over plain HTTP", async () => {
    for (const path of ["/v1/pets", "/nope", "/healthz", "/docs"])
      expect([path, (await request(path)).headers.has(NAME)]).toEqual([path, false]);
  });

  test("is sent on each answer, as the operator has it, where TLS ends in front of the service", async () => {
    const value = "max-age=600; includeSubDomains";
    await using own = await startService({ STRICT_TRANSPORT_SECURITY: value });
    for (const path of ["/v1/pets", "/nope", "/healthz", "/docs"])
      expect([path, (await fetch(new URL(path, own.baseUrl))).headers.get(NAME)]).toEqual([path, value]);
  });
});

describe("in whatever way an answer is begun", () => {
  const app = express().disable("x-powered-by").disable("etag");
  app.use(standingHeaders(app));
  const server = createServer(app);
  beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"));
  afterAll(() => void server.close());

  const tag = { ETag: '"a"' };
  const kept = { "Cache-Control": "public" };
  test.each<[title: string, cacheControl: string, begin: (response: Response) => unknown]>([
    ["without headers", "no-store", (response) => response.writeHead(200)],
    ["with headers", "no-store", (response) => response.writeHead(200, { A: "b" })],
    ["with headers and a phrase", "no-store", (response) => response.writeHead(200, "Fine", { A: "b" })],
    ["with a phrase", "no-store", (response) => response.writeHead(200, "Fine")],
    ["with a list of headers", "no-store", (response) => response.writeHead(200, ["A", "b"])],
    ["with headers set before", "no-store", (response) => response.set("A", "b").writeHead(200, { C: "d" })],
    ["with a tag", "private, no-cache", (response) => response.writeHead(200, tag)],
    ["with a tag set before", "private, no-cache", (response) => response.set(tag).writeHead(200, { A: "b" })],
    ["with a tag and a rule of its own", "public", (response) => response.writeHead(200, { ...tag, ...kept })],
    ["with those set before", "public", (response) => response.set({ ...tag, ...kept }).writeHead(200)],
    ["with a rule of its own", "public", (response) => response.writeHead(200, kept)],
  ])("%s, it has what stands", async (title, cacheControl, begin) => {
    const path = `/${title.replaceAll(" ", "-")}`;
    app.get(path, (_request, response) => {
      addStanding(response, { "X-Request-Id": "order-66" });
      begin(response);
      response.end();
    });
    const { port } = server.address() as AddressInfo;
    const { headers } = await fetch(`http://127.0.0.1:${port}${path}`);
    expect(Object.fromEntries(headers)).toMatchObject({
      ...STANDING,
      "x-request-id": "order-66",
      "cache-control": cacheControl,
    });
  });
});

/** What browsers and proxies are told of every answer. */
const STANDING = {
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
/** What would name the software, or let a browser add credentials of its own. */
const NEVER = ["server", "via", "x-powered-by", "access-control-allow-credentials", "set-cookie"];

const PREFLIGHT = { method: "OPTIONS", headers: { "Access-Control-Request-Method": "GET" } };

test.each<[title: string, status: number, path: string, init: RequestInit]>([
  ["a probe", 200, "/healthz", {}],
  ["a list", 200, "/v1/pets", {}],
  ["a list from memory", 200, "/v1/pets", {}],
  ["HEAD", 200, "/v1/pets", { method: "HEAD" }],
  ["an animal that was added", 201, "/v1/pets", json({ name: "Rex", categoryId: 1 })],
  ["what is allowed", 204, "/v1/pets", { method: "OPTIONS" }],
  ["a preflight", 204, "/v1/pets", PREFLIGHT],
  ["no change", 304, "/v1/pets", { headers: { "If-None-Match": "*" } }],
  ["no change of the contract", 304, "/openapi.json", { headers: { "If-None-Match": "*" } }],
  ["a refusal", 400, "/v1/pets?limit=0", {}],
  ["a missing key", 401, "/v1/pets", { headers: { Authorization: "" } }],
  ["nothing there", 404, "/nope", {}],
  ["a wrong method", 405, "/v1/pets", { method: "DELETE" }],
  ["a body that is too large", 413, "/v1/pets", json("x".repeat(70_000))],
])("%s (%i) carries what stands on every answer", async (_title, status, path, init) => {
  const headers = { Authorization: `Bearer ${service.key}`, ...(init.headers as Record<string, string>) };
  const answer = await fetch(new URL(path, service.baseUrl), { ...init, headers });
  expect(answer.status).toBe(status);
  expect(Object.fromEntries(answer.headers)).toMatchObject(STANDING);
  for (const name of NEVER) expect([name, answer.headers.get(name)]).toEqual([name, null]);
});

test("what a handler sets goes before what stands: the page has a policy of its own", async () => {
  const { headers } = await fetch(new URL("/docs", service.baseUrl));
  const { "content-security-policy": _, ...others } = STANDING;
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

test("they are those of helmet, the policy and Strict-Transport-Security aside", async () => {
  const app = express().disable("x-powered-by");
  app.use(helmet({ contentSecurityPolicy: false, strictTransportSecurity: false }));
  app.get("/", (_request, response) => void response.writeHead(200).end());
  const server = createServer(app).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { headers } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const { "content-security-policy": _, ...others } = STANDING;
  const ofNode = new Set(["connection", "date", "keep-alive", "transfer-encoding"]);
  expect(Object.fromEntries([...headers].filter(([name]) => !ofNode.has(name)))).toEqual(others);
});
