import { afterAll, beforeAll, expect, test } from "vitest";
import { startThings, type Things } from "../testing/start-things.ts";

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
      "Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id, traceparent, tracestate",
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
