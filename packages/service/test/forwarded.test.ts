import { once } from "node:events";
import { createServer, get, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import express from "express";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SERVICE_SETTINGS, readSettings, serviceConfig } from "../src/settings.ts";
import { type Forwarded, forwardedOf } from "../src/http/forwarded.ts";

const trustProxy = (setting: string) =>
  serviceConfig(readSettings(SERVICE_SETTINGS, { TRUST_PROXY: setting })).trustProxy;

/** The address of the connection in these tests. */
const PEER = "127.0.0.1";
const CLIENT = "203.0.113.7";

/** An app for each setting, which responds with the result of `forwardedOf` and with Express's `request.ip`. */
let server: Server;
beforeAll(async () => {
  const app = express();
  const apps = new Map<string, express.Express>();
  app.use((request, response) => {
    const setting = decodeURIComponent(request.path.slice(1));
    const trusting = apps.get(setting) ?? express().set("trust proxy", trustProxy(setting));
    apps.set(
      setting,
      trusting.all("/", (inner, answer) => void answer.json({ ...forwardedOf(inner), ip: inner.ip })),
    );
    request.url = "/";
    trusting(request, response);
  });
  server = createServer(app).listen(0, PEER);
  await once(server, "listening");
});
afterAll(() => void server.close());

async function ask(trust: string, headers: Record<string, string | string[]>): Promise<Forwarded & { ip: string }> {
  const { port } = server.address() as AddressInfo;
  const asked = get({ host: PEER, port, path: `/${encodeURIComponent(trust)}`, headers, agent: false });
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  return (await json(answer)) as Forwarded & { ip: string };
}

const TRUSTED = `${PEER},10.0.0.0/8,2001:db8:a::/48`;

test.each([
  ["no proxy is trusted", "", CLIENT, PEER],
  ["0 hops are trusted", "0", CLIENT, PEER],
  ["another address is trusted", "10.0.0.0/8", CLIENT, PEER],
  ["the peer is trusted", PEER, CLIENT, CLIENT],
  ["one hop is trusted", "1", `198.51.100.1, ${CLIENT}`, CLIENT],
  ["two hops are trusted", "2", `198.51.100.1, ${CLIENT}, 10.0.0.1`, CLIENT],
  ["more hops are trusted than exist", "3", CLIENT, CLIENT],
  ["a client wrote before the proxies", TRUSTED, `198.51.100.1, ${CLIENT}, 10.0.0.2,10.0.0.1`, CLIENT],
  ["every address is trusted", TRUSTED, "10.0.0.3, 10.0.0.2, 10.0.0.1", "10.0.0.3"],
  ["items are empty", TRUSTED, ` , ${CLIENT} ,, 10.0.0.1,`, CLIENT],
  ["it has a port", TRUSTED, `${CLIENT}:61000`, CLIENT],
  ["it is IPv6", TRUSTED, "2001:DB8:0:0:0::1", "2001:db8::1"],
  ["it is IPv6 with a port", TRUSTED, "[2001:db8::1]:443, [2001:db8:a::1]:1", "2001:db8::1"],
  ["it is IPv4 mapped to IPv6", TRUSTED, `::FFFF:${CLIENT}, ::ffff:10.0.0.1`, CLIENT],
  ["it is IPv4 mapped in hexadecimal", TRUSTED, "[::ffff:cb00:7107]", CLIENT],
  ["it has a zone", TRUSTED, "fe80::1%eth0", "fe80::1"],
  ["it is hidden", TRUSTED, `${CLIENT}, unknown, 10.0.0.1`, "10.0.0.1"],
  ["it is obfuscated", TRUSTED, `${CLIENT}, _gazonk`, PEER],
  ["it is not an address", TRUSTED, `${CLIENT}, 256.1.1.1, 10.0.0.1`, "10.0.0.1"],
  ["it is a name", TRUSTED, "localhost", PEER],
  ["it is a number", TRUSTED, "2130706433", PEER],
  ["it is markup", TRUSTED, "<script>alert(1)</script>", PEER],
  ["it is long", TRUSTED, `${CLIENT}${" x".repeat(4_000)}`, PEER],
  ["brackets are left open", TRUSTED, "[2001:db8::1", PEER],
  ["brackets hold something else", TRUSTED, "[x]", PEER],
  ["the list is long", TRUSTED, `${CLIENT}, ${"10.0.0.2, ".repeat(1_000)}10.0.0.1`, "10.0.0.2"],
])("X-Forwarded-For when %s (TRUST_PROXY=%s)", async (_title, trust, header, address) => {
  expect(await ask(trust, { "X-Forwarded-For": header })).toEqual({ address, ip: expect.any(String) });
});

test.each([
  ["no proxy is trusted", "", `for=${CLIENT};proto=https`, PEER, undefined],
  ["the peer is trusted", PEER, `for=${CLIENT};proto=https;by=_a;host=x`, CLIENT, "https"],
  ["names are in upper case", PEER, `By=_a;FOR="${CLIENT}:80";Proto=HTTPS`, CLIENT, "https"],
  ["it is IPv6", PEER, 'for="[2001:DB8:0::1]:_port"', "2001:db8::1", undefined],
  ["it is IPv6 without quotes", PEER, "for=[2001:db8::1]:4711;proto=https", "2001:db8::1", "https"],
  ["characters are escaped", PEER, 'for="203\\.0.113.\\7"', CLIENT, undefined],
  [
    "a client wrote before the proxies",
    TRUSTED,
    `for=6.6.6.6;proto=https, for=${CLIENT}, for=10.0.0.1`,
    CLIENT,
    undefined,
  ],
  ["schemes differ by hop", TRUSTED, `for=${CLIENT};proto=https, for=10.0.0.1;proto=http`, CLIENT, "https"],
  ["every address is trusted", TRUSTED, "for=10.0.0.2;proto=https, for=10.0.0.1;proto=http", "10.0.0.2", "https"],
  ["only the second hop has a scheme", "1", `for=${CLIENT};proto=https, for=10.0.0.1`, "10.0.0.1", undefined],
  ["it is hidden", TRUSTED, `for=${CLIENT}, for=unknown;proto=https, for=10.0.0.1`, "10.0.0.1", "https"],
  ["it is obfuscated", PEER, 'for="_SEVKISEK";proto=https', PEER, "https"],
  ["there is no address", TRUSTED, `for=${CLIENT}, proto=https`, PEER, "https"],
  ["the scheme is unknown", PEER, `for=${CLIENT};proto=javascript`, CLIENT, undefined],
  ["a client left a quote open", PEER, `for=6.6.6.6;x=", for=${CLIENT}`, CLIENT, undefined],
  ["a client left a quote open before quotes", PEER, 'for=6.6.6.6;x=", for="[2001:db8::1]"', "2001:db8::1", undefined],
  ["a client left an escape open", PEER, `for="6.6.6.6\\, for="${CLIENT}"`, CLIENT, undefined],
  ["quotes contain separators", TRUSTED, `for=${CLIENT};x="a, for=6.6.6.6;y=\\"", for=10.0.0.1`, CLIENT, undefined],
  ["elements are empty", PEER, `, ,for=${CLIENT};, ,`, CLIENT, undefined],
  ["a name occurs twice", PEER, `for=6.6.6.6, for=${CLIENT};for=6.6.6.6`, PEER, undefined],
  ["it is malformed", PEER, `for=6.6.6.6, for ${CLIENT}`, PEER, undefined],
  ["it has only quotes", PEER, '",'.repeat(4_000), PEER, undefined],
  ["it is long", PEER, `for=${CLIENT};x="${"x".repeat(4_000)}"`, PEER, undefined],
  ["an element has the maximum length", PEER, longElement(256), CLIENT, undefined],
  ["an element is one character too long", PEER, longElement(257), PEER, undefined],
  ["the list is long", TRUSTED, `for=${CLIENT}, ${"for=10.0.0.2, ".repeat(800)}for=10.0.0.1`, "10.0.0.2", undefined],
])("Forwarded when %s (TRUST_PROXY=%s)", async (_title, trust, header, address, scheme) => {
  const forwarded = await ask(trust, { Forwarded: header });
  expect([forwarded.address, forwarded.scheme]).toEqual([address, scheme]);
});

test.each([
  ["only the nearest proxy sends it", PEER, undefined, "https", "https"],
  ["no proxy is trusted", "", CLIENT, "https", undefined],
  ["a client wrote before the proxy", PEER, CLIENT, "https, http", "http"],
  ["each proxy adds a scheme", TRUSTED, `${CLIENT}, 10.0.0.1`, "https, http", "https"],
  ["the nearest proxy replaced it", TRUSTED, `${CLIENT}, 10.0.0.1`, "https", "https"],
  ["it is in upper case", PEER, CLIENT, "HTTPS", "https"],
  ["it is unknown", PEER, CLIENT, "wss", undefined],
])("X-Forwarded-Proto when %s (TRUST_PROXY=%s)", async (_title, trust, client, proto, scheme) => {
  const headers = { "X-Forwarded-Proto": proto, ...(client && { "X-Forwarded-For": client }) };
  expect((await ask(trust, headers)).scheme).toBe(scheme);
});

test("the host is that of the first trusted proxy", async () => {
  const hosts = { "X-Forwarded-For": `${CLIENT}, 10.0.0.1`, "X-Forwarded-Host": "evil, shop.example, petstore:3000" };
  expect((await ask(TRUSTED, hosts)).host).toBe("shop.example");
  expect((await ask("", hosts)).host).toBeUndefined();
  const { host } = await ask(TRUSTED, { Forwarded: `host=evil, for=${CLIENT};host="shop.example:8080"` });
  expect(host).toBe("shop.example:8080");
});

test("a repeated header is read as one list", async () => {
  const lists = { "X-Forwarded-For": ["6.6.6.6", `${CLIENT}, 10.0.0.1`], Forwarded: [`for=${CLIENT}`, "for=10.0.0.1"] };
  expect(await ask(TRUSTED, lists)).toMatchObject({ address: CLIENT });
});

test("Forwarded and X-Forwarded-For are both ignored if they differ", async () => {
  const both = (standard: string, usual: string) =>
    ask(PEER, { Forwarded: standard, "X-Forwarded-For": usual, "X-Forwarded-Proto": "https" });
  expect(await both(`for="${CLIENT}:80"`, CLIENT)).toMatchObject({ address: CLIENT, scheme: "https" });
  const differing = [
    await both("for=6.6.6.6;proto=https", CLIENT),
    await both(`for=${CLIENT}`, "6.6.6.6"),
    await both("for=_hidden", CLIENT),
  ];
  expect(differing.map(({ address, claimed, scheme }) => ({ address, claimed, scheme }))).toEqual([
    { address: PEER, claimed: ["6.6.6.6", CLIENT] },
    { address: PEER, claimed: [CLIENT, "6.6.6.6"] },
    { address: PEER, claimed: [PEER, CLIENT] },
  ]);
  const malformed = await both("for=6.6.6.6;;", CLIENT); // malformed, so not from a proxy
  expect(malformed).toMatchObject({ address: CLIENT, scheme: "https" });
  expect(malformed).not.toHaveProperty("claimed");
});

test("the address of X-Forwarded-For equals Express's request.ip", async () => {
  const address = fc.oneof(fc.ipV4(), fc.constantFrom(CLIENT, "10.0.0.1", "10.9.8.7", PEER));
  const trust = fc.constantFrom("", PEER, TRUSTED, "1", "2", "3");
  const property = fc.asyncProperty(trust, fc.array(address, { maxLength: 5 }), async (setting, addresses) => {
    const { address: found, ip } = await ask(setting, { "X-Forwarded-For": addresses.join(", ") });
    expect(found).toBe(ip);
  });
  await fc.assert(property, { numRuns: 50 });
});

/** Returns an element with this number of characters. */
function longElement(length: number): string {
  const start = `for=${CLIENT};x=`;
  return start + "x".repeat(length - start.length);
}
