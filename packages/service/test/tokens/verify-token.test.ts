import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Problem } from "express-operations";
import type { Request } from "express";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { tokenConfig } from "../../src/tokens/settings.ts";
import { verifyToken } from "../../src/tokens/verify-token.ts";
import { type Issuer, startIssuer } from "../../src/tokens/issuer.ts";

let issuer: Issuer;
beforeAll(async () => void (issuer = await startIssuer()));
afterAll(() => issuer[Symbol.asyncDispose]());

function requested(): Request {
  return { res: { locals: {} } } as never;
}

const verifier = () => verifyToken(tokenConfig(issuer.env).tokenIssuer);

test("a token of the issuer has its subject, client and scopes", async () => {
  const grant = await verifier()(await issuer.token(["read", "write"], { client_id: "shop" }), requested());
  expect(grant).toMatchObject({ caller: { id: "tester", name: "shop" }, scopes: ["read", "write"] });
});

test.each([
  ["a list in scp", { scope: undefined, scp: ["a", "b"] }, ["a", "b"]],
  ["none", { scope: undefined }, []],
])("scopes: %s", async (_, claims, scopes) => {
  expect(await verifier()(await issuer.token([], claims), requested())).toMatchObject({ scopes });
});

describe("is rejected", () => {
  test.each<[string, () => Promise<string> | string]>([
    ["no token", () => "nonsense"],
    ["a longer one than any issuer's", () => issuer.token([], { padding: "x".repeat(20_000) })],
    ["one for another service", () => issuer.token([], { aud: "another" })],
    ["one of another issuer", () => issuer.token([], { iss: "https://other.example" })],
    ["one that has expired", () => issuer.token([], { exp: 1 })],
    ["one that never expires", () => issuer.token([], { exp: undefined })],
    ["one that is not valid yet", () => issuer.token([], { nbf: 4_000_000_000 })],
    ["one without a subject", () => issuer.token([], { sub: undefined })],
    ["one with a changed claim", async () => (await issuer.token()).replace(/\.[^.]+\./, `.${btoa('{"sub":"me"}')}.`)],
    [
      "one without a signature",
      () => `${btoa('{"alg":"none"}').replaceAll("=", "")}.${btoa('{"sub":"me"}').replaceAll("=", "")}.`,
    ],
  ])("%s", async (_, token) => {
    expect(await verifier()(await token(), requested())).toBeUndefined();
  });

  test("a token of a key that the issuer does not have", async () => {
    await using other = await startIssuer();
    const token = await other.token([], { iss: issuer.env.TOKEN_ISSUER });
    expect(await verifier()(token, requested())).toBeUndefined();
  });

  test("every token without an issuer in the settings", async () => {
    expect(await verifyToken(tokenConfig({}).tokenIssuer)(await issuer.token(), requested())).toBeUndefined();
  });
});

test("a request gets 503 until the issuer has a configuration of its own, and each one asks again", async () => {
  let named: string | undefined; // in the configuration
  const server = createServer((_request, response) => {
    response.writeHead(named === undefined ? 500 : 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ issuer: named, jwks_uri: `${issuer.env.TOKEN_ISSUER}/keys` }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const verify = verifyToken({ ...issuerOf(), issuer: origin, keysUrl: undefined });
  const send = async () => verify(await issuer.token([], { iss: origin }), requested());
  for (const other of [undefined, issuer.env.TOKEN_ISSUER]) {
    named = other;
    const failure: unknown = await send().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Problem);
    expect(failure).toMatchObject({ status: 503, headers: { "Retry-After": "1" } });
  }
  named = origin;
  expect(await send()).toBeDefined();
});

test("the keys of the issuer are read again after the clock was set back, not days later", async () => {
  const { keys } = (await (await fetch(`${issuer.env.TOKEN_ISSUER}/keys`)).json()) as { keys: object[] };
  let served = keys.map((key) => ({ ...key, kid: "before" }));
  const server = createServer((_request, response) => void response.end(JSON.stringify({ keys: served })));
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  onTestFinished(() => void vi.useRealTimers());
  const keysUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const verify = verifyToken({ ...issuerOf(), keysUrl });
  expect(await verify(await issuer.token(), requested())).toBeUndefined(); // signed with a key that is not served yet
  served = keys as typeof served;
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3 * 86_400_000 });
  expect(await verify(await issuer.token(), requested())).toBeDefined();
});

function issuerOf() {
  return { issuer: issuer.env.TOKEN_ISSUER, audience: issuer.env.TOKEN_AUDIENCE };
}

describe("settings", () => {
  test.each([
    [{ TOKEN_ISSUER: "https://login.example.com" }, "TOKEN_AUDIENCE is missing."],
    [{ TOKEN_AUDIENCE: "shop" }, "TOKEN_ISSUER is missing."],
  ])("%j: %s", (settings, message) => {
    expect(() => tokenConfig(settings)).toThrow(message);
  });
});
