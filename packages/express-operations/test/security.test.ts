import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, request as httpsRequest } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import express from "express";
import { implement, type OpenApiDocument, Problem } from "../src/index.ts";
import { anyJson, serveEcho } from "./echo.ts";
import { listen } from "./listen.ts";

const securitySchemes = {
  key: { type: "apiKey", in: "header", name: "X-Key" },
  bearer: { type: "http", scheme: "bearer" },
  basic: { type: "http", scheme: "basic" },
};

/**
 * Sends a request to an operation with these security requirements. Returns the parts of the response that tests check.
 */
async function ask(
  security: object[],
  headers: Record<string, string> = {},
  schemes: object = securitySchemes,
  query = "",
) {
  const document = { components: { securitySchemes: schemes } };
  await using server = await serveEcho({ "/x": { get: { operationId: "x", security, responses: anyJson } } }, document);
  const response = await fetch(`${server.baseUrl}/x${query}`, { headers });
  const { caller, callers, code } = (await response.json()) as { caller?: string; callers?: object; code?: string };
  return { status: response.status, caller, callers, code, challenge: response.headers.get("WWW-Authenticate") };
}

describe("requirements", () => {
  const goodKey = { "X-Key": "good" };

  test("one requirement with all of its schemes is enough, and an empty one accepts every request", async () => {
    expect(await ask([{ basic: [] }, { key: [] }], goodKey)).toMatchObject({ status: 200, caller: "key" });
    expect(await ask([{ basic: [], key: [] }], goodKey)).toMatchObject({ status: 401 });
    const both = { ...goodKey, Authorization: `Basic ${btoa("user:good")}` };
    expect(await ask([{ basic: [], key: [] }], both)).toMatchObject({ status: 200, caller: "key" });
    expect(await ask([{ key: [], basic: [] }], both)).toMatchObject({ status: 200, caller: "basic" });
    expect(await ask([{ basic: [] }, {}])).toMatchObject({ status: 200 });
    expect(await ask([])).toMatchObject({ status: 200 });
    for (const optional of [
      [{}, { key: [] }],
      [{ key: [] }, {}],
    ]) {
      expect(await ask(optional, goodKey)).toMatchObject({ status: 200, caller: "key" });
      expect((await ask(optional)).caller).toBeUndefined();
    }
    expect(await ask([{}, { key: ["write"] }], goodKey)).toMatchObject({ status: 200, callers: {} });
    expect(await ask([{ key: [] }])).toMatchObject({ status: 401, code: "unauthorized" });
  });

  test("of several schemes give the handler each caller", async () => {
    const both = { ...goodKey, Authorization: `Basic ${btoa("user:good")}` };
    expect((await ask([{ basic: [], key: [] }], both)).callers).toEqual({ basic: "basic", key: "key" });
    expect((await ask([{ basic: [] }, { key: [] }], both)).callers).toEqual({ basic: "basic" });
    expect((await ask([{ key: [], bearer: [] }, { key: [] }], goodKey)).callers).toEqual({ key: "key" });
    expect((await ask([])).callers).toEqual({});
  });

  test.each(["header", "query", "cookie"])("an API key in a %s needs no declared parameter", async (place) => {
    const schemes = { key: { type: "apiKey", in: place, name: "api_key" } };
    const give = (key: string) =>
      ask(
        [{ key: [] }],
        place === "header" ? { api_key: key } : { Cookie: `api_key=${key}` },
        schemes,
        place === "query" ? `?api_key=${key}` : "",
      );
    expect(await give("good")).toMatchObject({ status: 200, caller: "key" });
    expect(await give("bad")).toMatchObject({ status: 401 });
  });

  test("HTTP Basic credentials are accepted or challenged", async () => {
    expect(await ask([{ basic: [] }], { Authorization: `Basic ${btoa("user:good")}` })).toMatchObject({
      status: 200,
      caller: "basic",
    });
    expect(await ask([{ basic: [] }], { Authorization: `Basic ${btoa("user:bad")}` })).toMatchObject({
      status: 401,
      challenge: 'Basic realm="api", charset="UTF-8"',
    });
  });
});

test.each([
  ["Bearer good", 200],
  ["bearer   good", 200],
  ["Bearergood", 401],
  ["Digest bearer good", 401],
  ["Bearer good x", 401],
  [`Basic ${btoa("user:good")}`, 200],
  [`basic  ${btoa("user:good")}`, 200],
  [`Basic${btoa("user:good")}`, 401],
  [`Digest basic ${btoa("user:good")}`, 401],
  [`Basic ${btoa("user:good")}!`, 401],
  ["Basic =", 401],
])("Authorization: %s is %d", async (credentials, status) => {
  const scheme = /basic/i.test(credentials) ? "basic" : "bearer";
  expect(await ask([{ [scheme]: [] }], { Authorization: credentials })).toMatchObject({ status });
});

/** Serves an operation that needs the scope `admin`. `check` validates its credentials, and may return anything. */
function serveAdmin(scheme: object, check: (credential: string) => unknown) {
  const responses = { 200: { description: "", content: { "application/json": {} } } };
  const document = {
    openapi: "3.1.0",
    components: { securitySchemes: { login: scheme } },
    paths: { "/x": { delete: { operationId: "wipe", security: [{ login: ["admin"] }], responses } } },
  } as OpenApiDocument;
  const wiped: unknown[] = [];
  const wipe = ({ caller }: { caller: unknown }) => (wiped.push(caller), { status: 200, body: { caller } });
  const api = implement()({ document, handlers: { wipe } as never, security: { login: check as never } });
  return { wiped, api };
}

describe("a security handler admits nobody by a value that is no grant", () => {
  const all = { caller: "ada", scopes: ["admin"] };

  /** Returns the response to a request whose credential has this value. */
  async function wipeAs(value: unknown) {
    const { wiped, api } = serveAdmin({ type: "http", scheme: "bearer" }, () => value);
    await using server = await listen(api);
    const response = await fetch(`${server.baseUrl}/x`, { method: "DELETE", headers: { Authorization: "Bearer x" } });
    const { fault } = (await response.json()) as { fault?: string };
    return { status: response.status, fault, wiped };
  }

  test.each([false, 0, -0, Number.NaN, 0n, "", null, undefined])("%s is a 401", async (value) => {
    const nobody = { status: 401, fault: undefined, wiped: [] };
    expect(await wipeAs(value)).toEqual(nobody);
    expect(await wipeAs(Promise.resolve(value))).toEqual(nobody);
    expect(await wipeAs({ ...all, caller: value })).toEqual(nobody);
  });

  test.each([
    [true, "a boolean"],
    [1, "a number"],
    ["ada", "a string"],
    [() => all, "a function"],
    [[all], "an object without `caller`"],
    [{ id: 1, scopes: ["admin"] }, "an object without `caller`"],
    [new Error("invalid token"), "an object without `caller`"],
    [{ ...all, caller: Promise.resolve(undefined) }, "a promise as `caller`"],
    [{ ...all, scopes: "administrator" }, "`scopes` that are not an array of strings"],
    [{ ...all, scopes: undefined }, "`scopes` that are not an array of strings"],
    [{ ...all, scopes: null }, "`scopes` that are not an array of strings"],
    [{ ...all, scopes: new Set(["admin"]) }, "`scopes` that are not an array of strings"],
    [{ ...all, scopes: [["admin"]] }, "`scopes` that are not an array of strings"],
  ])("%s is an error that names the scheme", async (value, what) => {
    const fault = `The security handler of "login" returned ${what}. Return { caller } or { caller, scopes }, or undefined for an invalid credential.`;
    expect(await wipeAs(value)).toEqual({ status: 500, fault, wiped: [] });
    expect(await wipeAs(Promise.resolve(value))).toEqual({ status: 500, fault, wiped: [] });
  });

  test("a caller with the scope, or without scopes, is admitted", async () => {
    expect(await wipeAs(all)).toMatchObject({ status: 200, wiped: ["ada"] });
    expect(await wipeAs({ caller: "ada" })).toMatchObject({ status: 200, wiped: ["ada"] });
    expect(await wipeAs({ ...all, scopes: [] })).toMatchObject({ status: 403, wiped: [] });
  });
});

describe("a security handler gets what was sent, and is not called without it", () => {
  test.each([
    ["Digest", 'Digest username="ada", nonce="1"', 'username="ada", nonce="1"'],
    ["Token", "tOKEN   abc", "abc"],
    ["Token", "Bearer abc", undefined],
    ["Token", "Token-abc", undefined],
    ["Token", "Token", undefined],
    ["Token", undefined, undefined],
  ])("HTTP %s: %s", async (scheme, header, expected) => {
    const seen: unknown[] = [];
    const { api } = serveAdmin({ type: "http", scheme }, (sent) => (seen.push(sent), { caller: "ada" }));
    await using server = await listen(api);
    const headers = header === undefined ? {} : { Authorization: header };
    const { status } = await fetch(`${server.baseUrl}/x`, { method: "DELETE", headers });
    expect({ status, seen }).toEqual(
      expected === undefined ? { status: 401, seen: [] } : { status: 200, seen: [expected] },
    );
  });

  test("mutualTLS: the certificate of the client in PEM", async () => {
    const [cert, key] = ["certificate.pem", "certificate.key.pem"].map((name) =>
      readFileSync(new URL(`fixtures/${name}`, import.meta.url), "utf8"),
    );
    const seen: string[] = [];
    const { api } = serveAdmin({ type: "mutualTLS" }, (sent) => (seen.push(sent), { caller: "ada" }));
    await using plain = await listen(api);
    expect((await fetch(`${plain.baseUrl}/x`, { method: "DELETE" })).status).toBe(401);

    const options = { cert: cert!, key: key!, requestCert: true, rejectUnauthorized: false };
    await using server = createServer(options, express().use(api)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const send = async (own: object) => {
      const request = httpsRequest({ port, path: "/x", method: "DELETE", agent: false, ca: cert!, ...own }).end();
      const [response] = (await once(request, "response")) as [{ statusCode: number; resume: () => void }];
      response.resume();
      return response.statusCode;
    };
    expect([await send({}), seen]).toEqual([401, []]);
    expect([await send({ cert, key }), seen]).toEqual([200, [cert]]);
  });
});

describe("challenges", () => {
  test("an invalid bearer token gets the error invalid_token (RFC 6750, section 3.1)", async () => {
    expect((await ask([{ bearer: [] }], { Authorization: "Bearer bad" })).challenge).toBe(
      'Bearer realm="api", error="invalid_token"',
    );
    expect((await ask([{ bearer: [] }])).challenge).toBe('Bearer realm="api"');
  });

  test("the challenges of every alternative are sent", async () => {
    expect((await ask([{ basic: [] }, { bearer: [] }])).challenge).toBe(
      'Basic realm="api", charset="UTF-8", Bearer realm="api"',
    );
  });

  test("a missing scope gets 403, even beside a failed alternative", async () => {
    const headers = { Authorization: "Bearer good" };
    const forbidden = {
      status: 403,
      code: "forbidden",
      challenge: 'Bearer realm="api", error="insufficient_scope", scope="read write"',
    };
    expect(await ask([{ bearer: ["read"] }], headers)).toMatchObject({ status: 200 });
    expect(await ask([{ bearer: ["read", "write"] }], headers)).toMatchObject(forbidden);
    expect(await ask([{ bearer: ["read", "write"] }, { key: [] }], headers)).toMatchObject(forbidden);
    expect(await ask([{ key: [] }, { bearer: ["read", "write"] }], headers)).toMatchObject(forbidden);
  });

  test("a missing role of an API key gets 403 without a challenge, because only Bearer challenges name scopes", async () => {
    const headers = { "X-Key": "good" };
    expect(await ask([{ key: ["read"] }], headers)).toMatchObject({ status: 200 });
    expect(await ask([{ key: ["write"] }], headers)).toMatchObject({ status: 403, code: "forbidden", challenge: null });
  });
});

test("an undeclared security scheme stops the start", async () => {
  const x = { get: { operationId: "x", security: [{ bearer: [] }], responses: anyJson } };
  await expect(serveEcho({ "/x": x })).rejects.toThrow(
    'Operation "x" needs the security scheme "bearer", which the document does not declare.',
  );
});

test("two Authorization headers get 401", async () => {
  const document = { components: { securitySchemes } };
  await using server = await serveEcho(
    { "/x": { get: { operationId: "x", security: [{ bearer: [] }], responses: anyJson } } },
    document,
  );
  const { hostname, port } = new URL(server.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.write(`GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${"Authorization: Bearer good\r\n".repeat(2)}\r\n`);
  expect(await text(socket)).toMatch(/^HTTP\/1.1 401 /);
});

describe("onInvalidCredential", () => {
  const document = {
    openapi: "3.1.0",
    components: { securitySchemes },
    paths: {
      "/x": { get: { operationId: "x", security: [{ bearer: [] }, { key: [] }, { basic: [] }], responses: anyJson } },
    },
  } as OpenApiDocument;
  const good = (credential: string) => (credential.endsWith("good") ? { caller: credential } : undefined);

  test("is called once for a request that no alternative admits, and only for an invalid credential", async () => {
    let calls = 0;
    const options = {
      document,
      handlers: { x: () => ({ status: 200, body: {} }) } as never,
      security: { bearer: good, key: good, basic: good },
    };
    await using server = await listen(implement()({ ...options, onInvalidCredential: () => void calls++ }));
    const outcome = async (headers: Record<string, string>) => {
      calls = 0;
      const { status } = await fetch(`${server.baseUrl}/x`, { headers });
      return { status, calls };
    };
    expect(await outcome({})).toEqual({ status: 401, calls: 0 });
    expect(await outcome({ Authorization: "Bearer bad" })).toEqual({ status: 401, calls: 1 });
    expect(await outcome({ Authorization: "Bearer bad", "X-Key": "bad" })).toEqual({ status: 401, calls: 1 });
    expect(await outcome({ Authorization: "Bearer bad", "X-Key": "good" })).toEqual({ status: 200, calls: 0 });
  });

  test.each(["at once", "later"])("replaces the 401 by the problem that it throws %s", async (when) => {
    const refuse = () => {
      throw new Problem(429, "rate_limited", "Too many attempts.", { "Retry-After": "9" });
    };
    const onInvalidCredential = when === "later" ? () => Promise.resolve().then(refuse) : refuse;
    await using server = await listen(
      implement()({
        document,
        handlers: { x: () => ({ status: 200, body: {} }) } as never,
        security: { bearer: good, key: good, basic: good },
        onInvalidCredential,
      }),
    );
    const response = await fetch(`${server.baseUrl}/x`, { headers: { "X-Key": "bad" } });
    expect([response.status, response.headers.get("Retry-After")]).toEqual([429, "9"]);
  });
});
