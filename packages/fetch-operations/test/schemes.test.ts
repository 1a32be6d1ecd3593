import { describe, expect, test } from "vitest";
import { apiKey, basic, bearer, clientCredentials, mutualTls, writeRaw } from "../src/index.ts";
import { type Secret, type SecurityScheme, TokenError } from "../src/parts/authentication.ts";
import { rejection, respond, serveForms, shop } from "./shop.ts";

describe("a scheme", () => {
  const user = { username: "me", password: "pä:ss" };
  const encoded = btoa(String.fromCharCode(...new TextEncoder().encode("me:pä:ss")));

  test.each<
    [
      title: string,
      scheme: SecurityScheme,
      secret: Secret,
      given: Record<string, string>,
      url: string,
      headers: object,
      hidden: string[],
    ]
  >([
    ["bearer", bearer(), "!~", {}, "/a", { authorization: "Bearer !~" }, ["!~"]],
    [
      "bearer, with a header of the program",
      bearer(),
      "t",
      { Authorization: "mine" },
      "/a",
      { authorization: "mine" },
      ["t"],
    ],
    ["basic", basic(), user, {}, "/a", { authorization: `Basic ${encoded}` }, ["pä:ss", encoded]],
    [
      "basic without a password",
      basic(),
      { username: "me", password: "" },
      {},
      "/a",
      { authorization: `Basic ${btoa("me:")}` },
      [btoa("me:")],
    ],
    [
      "basic, with a header of the program",
      basic(),
      user,
      { Authorization: "mine" },
      "/a",
      { authorization: "mine" },
      ["pä:ss", encoded],
    ],
    ["a header", apiKey("header", "X-Key"), "k", {}, "/a", { "x-key": "k" }, ["k"]],
    ["a header of the program", apiKey("header", "X-Key"), "k", { "X-Key": "mine" }, "/a", { "x-key": "mine" }, ["k"]],
    ["the query", apiKey("query", "a b"), "k&", {}, "/a?a%20b=k%26", {}, ["k&"]],
    ["the query, after others", apiKey("query", "k"), "k", {}, "/a?b=1&k=k", {}, ["k"]],
    ["a cookie", apiKey("cookie", "s d"), "k;", {}, "/a", { cookie: "s%20d=k%3B" }, ["k;"]],
    ["a cookie, after others", apiKey("cookie", "s"), "k", { Cookie: "a=1" }, "/a", { cookie: "a=1; s=k" }, ["k"]],
    ["certificates", mutualTls(), "any", {}, "/a", {}, []],
  ])("of %s sends its credential", (_title, scheme, secret, given, url, headers, hidden) => {
    const request = { url: url.includes("b=1") ? "/a?b=1" : "/a", headers: new Headers(given) };
    expect(scheme.apply(secret, request)).toEqual(hidden);
    expect([request.url, Object.fromEntries(request.headers)]).toEqual([url, headers]);
  });

  test.each<[scheme: SecurityScheme, secret: unknown]>([
    ...["", "a b", "a\n", " a", "a\u007f", "ä", undefined, user].flatMap((secret): [SecurityScheme, unknown][] => [
      [bearer(), secret],
      [apiKey("query", "k"), secret],
    ]),
    [basic(), "me:pass"],
    [basic(), { username: "a:b", password: "" }],
  ])("%# rejects a call whose function returns %j, and sends nothing", async (scheme, secret) => {
    const options = { credentials: { key: () => secret as Secret } };
    await using server = await shop(respond(200, "1"), options, { schemes: { key: scheme }, security: [["key"]] });
    await expect(server.call()).rejects.toBeInstanceOf(TypeError);
    expect(server.requests).toEqual([]);
  });

  test("may name the option that holds its credential", () => {
    expect([bearer().option, bearer("a").option, basic("b").option, apiKey("query", "k", "c").option]).toEqual([
      undefined,
      "a",
      "b",
      "c",
    ]);
    expect([mutualTls().isOfConnection, bearer().isOfConnection]).toEqual([true, undefined]);
  });
});

describe("credentials of a client", () => {
  const schemes = { key: bearer("apiKey"), user: basic(), certificate: mutualTls() };
  const wrong = "apiKey is not an API key. Pass it as issued, without spaces or line breaks.";
  test.each<[options: object, message: string]>([
    [{}, wrong],
    [{ apiKey: "" }, wrong],
    [{ apiKey: null }, wrong],
    [{ apiKey: "k", credentials: { user: "a b" } }, "credentials.user is not "],
    [{ apiKey: "k", credentials: { user: { username: "a" } } }, "credentials.user is not "],
    [{ apiKey: "k", credentials: { user: { username: 1, password: "b" } } }, "credentials.user is not "],
    [
      { apiKey: "k", credentials: { lost: "a" } },
      "There is no option credentials.lost. The options are key, user, certificate.",
    ],
  ])("%j are rejected", async (options, message) => {
    const error = await rejection(shop(respond(200, "1"), options, { schemes }));
    expect(error).toMatchObject({ name: "TypeError", message: expect.stringContaining(message) });
  });

  test("are those of their options, of the first requirement that can be met", async () => {
    const seen: unknown[] = [];
    const listener: Parameters<typeof shop>[0] = (request, response) => {
      seen.push(request.headers.authorization);
      respond(200, "1")(request, response);
    };
    const options = { apiKey: "k", credentials: { user: undefined } } as object;
    await using server = await shop(listener, options, { schemes, security: [["user"], ["key", "certificate"], []] });
    await server.call();
    await server.call({ security: [] });
    await server.call({ security: [["certificate"], ["key"]] });
    await server.call({ security: [["user", "certificate"], []] });
    expect(seen).toEqual(["Bearer k", undefined, undefined, undefined]);
    const { error } = await server.call({ id: "buy", security: [["user"], ["user", "key"]] });
    expect(error).toMatchObject({
      code: "unsendable_request",
      message: "A value of the request cannot be sent. buy requires a credential of user or user and key.",
    });
    expect(seen).toHaveLength(4);
  });
});

describe("a 401", () => {
  test("is retried once in each attempt with another credential, unless the body is a stream", async () => {
    const reasons: boolean[] = [];
    const key = ({ isRejected, signal }: { isRejected: boolean; signal: AbortSignal }) => {
      reasons.push(isRejected && !signal.aborted);
      return isRejected ? "new" : "old";
    };
    const statuses = [401, 503, 401, 200];
    await using server = await shop(
      (request, response) => {
        request.resume();
        request.on("end", () => respond(statuses.shift()!, '{"code":"no","message":""}')(request, response));
      },
      { credentials: { key }, retry: { limit: 1, baseDelay: 0 } },
      { security: [["key"]] },
    );
    expect((await server.call()).status).toBe(200);
    expect(reasons.splice(0)).toEqual([false, true, false, true]);
    statuses.splice(0, 9, 401, 200);
    const operation = { method: "POST", parameters: { body: "body" as const }, write: writeRaw };
    expect((await server.call(operation, { body: new Blob(["a"]).stream() })).status).toBe(401);
    expect(reasons.splice(0)).toEqual([false]);
    statuses.splice(0, 9, 401, 200);
    expect((await server.call({ isRetryable: false })).status).toBe(200);
  });

  test("with a key that is no function is returned", async () => {
    await using server = await shop(
      respond(401, '{"code":"no","message":""}'),
      { credentials: { key: "k" } },
      { security: [["key"]] },
    );
    expect((await server.call()).status).toBe(401);
    expect(server.requests).toHaveLength(1);
  });
});

describe("OAuth 2.0 client credentials", () => {
  const reason = (isRejected = false) => ({ isRejected, signal: new AbortController().signal });
  const own = { clientId: "me:x ", clientSecret: "s +" };
  const token = (more: object = {}) => JSON.stringify({ access_token: "t", token_type: "bEaReR", ...more });
  const json = { "Content-Type": "application/json" };

  test("request a token as RFC 6749 says, also with a fetch of the program", async () => {
    await using login = await serveForms(() => token());
    const sent = [] as unknown[];
    const fetch = async (request: Request) => (sent.push([request.url, request.method]), globalThis.fetch(request));
    for (const options of [{}, { scopes: ["a", "b c"], fetch }]) {
      const credential = clientCredentials({ tokenUrl: `${login.baseUrl}/token?a=1`, ...own, ...options });
      expect(await credential(reason())).toBe("t");
    }
    const request = ["POST", "/token?a=1", `Basic ${btoa("me%3Ax+:s+%2B")}`, "application/x-www-form-urlencoded"];
    expect(login.received).toEqual([
      [...request, "grant_type=client_credentials"],
      [...request, "grant_type=client_credentials&scope=a+b+c"],
    ]);
    expect(sent).toEqual([[`${login.baseUrl}/token?a=1`, "POST"]]);
  });

  test.each([
    [{}, 1],
    [{ expires_in: "1" }, 1],
    [{ expires_in: 20 }, 1],
    [{ expires_in: 0 }, 2],
    [{ expires_in: "0" }, 2],
    [{ expires_in: 3_600, token_type: undefined }, 1],
  ])("of %j are fetched %s times in two calls", async (more, count) => {
    await using login = await serveForms(() => token(more));
    const credential = clientCredentials({ tokenUrl: login.baseUrl, ...own });
    await Promise.all([credential(reason()), credential(reason())]);
    expect(login.received).toHaveLength(1);
    await credential(reason());
    expect(login.received).toHaveLength(count);
    await credential(reason(true));
    expect(login.received).toHaveLength(count + 1);
  });

  test.each<[status: number, body: string, message: string]>([
    [400, '{"error":"invalid_client"}', "400 and invalid_client."],
    [500, "{}", "500."],
    [200, token({ token_type: "mac" }), "200."],
    [200, token({ token_type: "bearer2" }), "200."],
    [200, token({ access_token: 5 }), "200."],
    [200, token({ access_token: "" }), "200."],
    [200, "{}", "200."],
  ])("reject for %s with %s, and may be asked again", async (status, body, message) => {
    let count = 0;
    const fetch = async () =>
      new Response(count++ === 0 ? body : token(), { status: count === 1 ? status : 200, headers: json });
    const credential = clientCredentials({ tokenUrl: "https://login.test/token", ...own, fetch });
    const error = await rejection(credential(reason()));
    const code = (JSON.parse(body) as { error?: string }).error;
    expect(error).toEqual(
      new TokenError(`The token endpoint responded with status ${message}`, status, undefined, code),
    );
    expect(await credential(reason())).toBe("t");
  });

  test("follow no redirect, because the secret is for the token endpoint only", async () => {
    await using other = await serveForms(() => token());
    await using login = await shop(respond(307, "", "", { Location: other.baseUrl }));
    for (const fetch of [undefined, globalThis.fetch])
      await expect(clientCredentials({ tokenUrl: login.baseUrl, ...own, fetch })(reason())).rejects.toMatchObject({
        cause: expect.any(TypeError),
      });
    expect(other.received).toEqual([]);
  });
});
