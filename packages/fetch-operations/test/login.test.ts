import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { TokenError } from "../src/parts/authentication.ts";
import { beginLogin, finishLogin, refreshTokens, type Tokens } from "../src/parts/oauth2.ts";
import { inTurn, rejection, respond, serve, shop } from "./shop.ts";

/** The used members of `oidc-provider`, a certified authorization server. */
interface Provider {
  callback: () => RequestListener;
  interactionFinished: (...args: [...Parameters<RequestListener>, result: object]) => Promise<void>;
  AccessToken: { find: (token: string) => Promise<{ destroy: () => Promise<void> } | undefined> };
}

const SECRET = "s3cr3t + more";
const redirectUri = "http://127.0.0.1/callback";

/** What the user does on the page of the server. */
let answer: object = {};
let provider: Provider;
let issuer: string;
/** The grants that the token endpoint was asked for. */
const grants: string[] = [];
const server = createServer();

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  issuer = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const shared = {
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    application_type: "native",
  };
  using _quiet = vi.spyOn(console, "warn").mockReturnValue(); // about keys and a store that last
  // @ts-expect-error: The package has no types.
  const imported = (await import("oidc-provider")) as { default: new (issuer: string, options: object) => Provider };
  provider = new imported.default(issuer, {
    clients: [
      { ...shared, client_id: "page", token_endpoint_auth_method: "none" },
      { ...shared, client_id: "shop:1", client_secret: SECRET, token_endpoint_auth_method: "client_secret_basic" },
    ],
    features: { devInteractions: { enabled: false } },
    scopes: ["books", "orders"],
    ttl: { Interaction: 60, Grant: 60, Session: 60, AccessToken: 60, AuthorizationCode: 60, RefreshToken: 60 },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    interactions: { url: () => "/login" },
    findAccount: (_context: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    loadExistingGrant: async ({ oidc }: { oidc: Record<string, never> }) => {
      const {
        client,
        session,
        provider: own,
      } = oidc as never as {
        client: { clientId: string };
        session: { accountId: string };
        provider: { Grant: new (of: object) => { addOIDCScope: (scope: string) => void; save: () => Promise<void> } };
      };
      const grant = new own.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope("books orders");
      await grant.save();
      return grant;
    },
  });
  const handle = provider.callback();
  server.on("request", (request, response) => {
    if (request.url === "/login") return void provider.interactionFinished(request, response, answer);
    if (request.url === "/token") request.on("data", (body) => grants.push(/grant_type=(\w+)/.exec(String(body))![1]!));
    handle(request, response);
  });
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const optionsOf = (more: object = {}) => ({
  authorizationUrl: `${issuer}/auth?ui_locales=en`,
  tokenUrl: `${issuer}/token`,
  clientId: "page",
  redirectUri,
  scopes: ["books", "orders"],
  ...more,
});

/** Follows the redirects of the server as a browser does, and returns the URL of the application. */
async function visit(start: string): Promise<string> {
  const cookies: Record<string, string> = {};
  let url = start;
  while (!url.startsWith(redirectUri)) {
    const cookie = Object.entries(cookies).map((pair) => pair.join("="));
    const { headers, status } = await fetch(url, { redirect: "manual", headers: { Cookie: cookie.join("; ") } });
    for (const line of headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      cookies[name!] = value!;
    }
    expect(status).toBe(303);
    url = new URL(headers.get("Location")!, url).href;
  }
  return url;
}

/** Logs a user in. */
async function login(options = optionsOf()): Promise<Tokens> {
  answer = { login: { accountId: "ada" }, consent: {} };
  const { url, pending } = await beginLogin(options);
  return finishLogin(options, await visit(url), JSON.parse(JSON.stringify(pending)));
}

/** A service that asks the server for each token, and a client of it. */
async function service(options: Parameters<typeof refreshTokens>[0]) {
  const check = async ({ headers }: IncomingMessage, response: ServerResponse) => {
    const isValid = (await provider.AccessToken.find(headers.authorization!.slice("Bearer ".length))) !== undefined;
    response.writeHead(isValid ? 200 : 401, { "Content-Type": "application/json" });
    response.end(isValid ? "1" : '{"code":"unauthorized"}');
  };
  const credentials = { key: refreshTokens(options) };
  return shop((request, response) => void check(request, response), { credentials }, { security: [["key"]] });
}

describe("a login by authorization code", () => {
  test.each([{}, { clientId: "shop:1", clientSecret: SECRET }])("gets tokens with PKCE: %j", async (client) => {
    const tokens = await login(optionsOf(client));
    expect(tokens).toEqual({
      accessToken: expect.any(String) as string,
      refreshToken: expect.any(String) as string,
      expiresAt: expect.closeTo(Date.now() + 60_000, -4) as number,
    });
    await using shelf = await service({ ...optionsOf(client), tokens });
    expect(await shelf.call()).toMatchObject({ ok: true, data: 1 });
  });

  test("keeps the parameters of the authorization endpoint, and its secrets to itself", async () => {
    const { url, pending } = await beginLogin(optionsOf());
    const parameters = Object.fromEntries(new URL(url).searchParams);
    expect(parameters).toMatchObject({ ui_locales: "en", scope: "books orders", code_challenge_method: "S256" });
    expect(pending.codeVerifier).toMatch(/^[\w-]{43}$/);
    expect(url).not.toContain(pending.codeVerifier);
    expect((await beginLogin(optionsOf())).pending).not.toEqual(pending);
  });

  test("is refused with another verifier, and for a redirect of another login or without a code", async () => {
    answer = { login: { accountId: "ada" }, consent: {} };
    const { url, pending } = await beginLogin(optionsOf());
    const redirect = await visit(url);
    const other = (await beginLogin(optionsOf())).pending;
    const failed = async (to: string, own = pending) => rejection(finishLogin(optionsOf(), to, own));
    const asked = grants.length;
    const forged = "The redirect does not belong to this login. Begin the login again.";
    expect(await failed(redirect, other)).toEqual(new TokenError(forged));
    for (const [to, none] of [
      ["/callback?code=a&state=", { ...pending, state: "" }],
      ["/callback?code=a", { ...pending, state: null as never }],
      [redirect, null],
    ] as const)
      expect(await rejection(finishLogin(optionsOf(), to, none as never))).toEqual(new TokenError(forged));
    expect(await failed("/callback?code=a")).toEqual(new TokenError(forged));
    expect(grants).toHaveLength(asked);
    const refused = await failed(redirect, { ...other, state: pending.state });
    expect(refused).toMatchObject({
      status: 400,
      code: "invalid_grant",
      message: /400 and invalid_grant. Log in again/,
    });
    answer = { error: "access_denied", error_description: "not today" };
    const second = await beginLogin(optionsOf());
    const denied = await failed(await visit(second.url), second.pending);
    expect(denied).toMatchObject({ code: "access_denied", message: "The login was refused with access_denied." });
  });
});

describe("the tokens of a login", () => {
  test("are refreshed once for all calls after a 401, and stored", async () => {
    const tokens = await login();
    const stored: Tokens[] = [];
    await using shelf = await service({ ...optionsOf(), tokens, onTokens: (next) => void stored.push(next) });
    await (await provider.AccessToken.find(tokens.accessToken))!.destroy();
    const asked = grants.length;
    const results = await Promise.all([shelf.call(), shelf.call(), shelf.call()]);
    expect(results.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(grants.slice(asked)).toEqual(["refresh_token"]);
    expect(stored).toHaveLength(1);
    expect(stored[0]!.accessToken).not.toBe(tokens.accessToken);
    expect(stored[0]!.refreshToken).not.toBe(tokens.refreshToken);
    // The server has rotated the token: only the stored one can go on.
    await using later = await service({ ...optionsOf(), tokens: { ...stored[0]!, expiresAt: 0 } });
    expect((await later.call()).status).toBe(200);
  });

  test.each([
    [29_000, 1],
    [40_000, 0],
  ])("with %s ms left are refreshed %s times", async (left, count) => {
    const tokens = await login();
    await using shelf = await service({ ...optionsOf(), tokens: { ...tokens, expiresAt: Date.now() + left } });
    const asked = grants.length;
    expect((await shelf.call()).status).toBe(200);
    expect(grants.length - asked).toBe(count);
  });

  test("that the server has revoked fail with the advice to log in, without a retry", async () => {
    const tokens = await login();
    await using first = await service({ ...optionsOf(), tokens: { ...tokens, expiresAt: 0 } });
    await first.call();
    // The server takes the second use of a refresh token for a theft, and ends the login (RFC 9700, section 4.14.2).
    await using second = await service({ ...optionsOf(), tokens: { ...tokens, expiresAt: 0 } });
    const asked = grants.length;
    const message = "The token endpoint responded with status 400 and invalid_grant. Log in again.";
    const failed: object = await second.call();
    expect(failed).toMatchObject({ error: { code: "token_error", message }, cause: { code: "invalid_grant" } });
    expect(await second.call()).toMatchObject({ error: { message: "The login has ended. Log in again." } });
    expect(grants.slice(asked)).toEqual(["refresh_token"]);
    expect(inspect(failed, { depth: 9 })).not.toContain(tokens.refreshToken);
  });

  test("are asked for again if the token endpoint fails for a while", async () => {
    const tokens = { ...(await login()), expiresAt: 0 };
    await using failing = await serve(
      inTurn(respond(503, "{}"), respond(502, "<html>"), respond(200, '{"access_token":"new"}')),
    );
    const received: unknown[] = [];
    const credentials = { key: refreshTokens({ ...optionsOf({ tokenUrl: failing.baseUrl }), tokens }) };
    await using shelf = await shop(
      ({ headers }, response) => {
        received.push(headers.authorization);
        response.writeHead(200, { "Content-Type": "application/json" }).end("1");
      },
      { credentials },
      { security: [["key"]] },
    );
    expect((await shelf.call()).status).toBe(200);
    expect(received).toEqual(["Bearer new"]);
  });

  /** A credential whose token endpoint responds with `t1`, `t2` and so on, and the refresh tokens that it received. */
  const issued = (more: object, options: Partial<Parameters<typeof refreshTokens>[0]> = {}) => {
    const received: (string | null)[] = [];
    const fetch = async (request: Request) => {
      received.push(new URLSearchParams(await request.text()).get("refresh_token"));
      return Response.json({ access_token: `t${received.length}`, ...more });
    };
    const tokens = { accessToken: "t0", refreshToken: "r", expiresAt: 0 };
    const ask = refreshTokens({ ...optionsOf(), tokens, fetch, ...options });
    const { signal } = new AbortController();
    return { received, get: (rejected?: string) => ask({ isRejected: rejected !== undefined, rejected, signal }) };
  };

  test("are used for half of a short lifetime, and keep the refresh token that no response replaces", async () => {
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { received, get } = issued({ expires_in: "20", refresh_token: "" });
    expect([await get(), await get()]).toEqual(["t1", "t1"]);
    vi.advanceTimersByTime(9_000);
    expect(await get()).toBe("t1");
    vi.advanceTimersByTime(2_000);
    expect(await get()).toBe("t2");
    // The clock of the system is set back: the token ends all the same.
    vi.setSystemTime(Date.now() - 3_600_000);
    vi.advanceTimersByTime(11_000);
    expect(await get()).toBe("t3");
    // The clock of the process has stood still while the machine slept.
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(await get()).toBe("t4");
    expect(received).toEqual(["r", "r", "r", "r"]);
  });

  test.each([0, 20, 3_600])("are there for onTokens, with a lifetime of %s s", async (lifetime) => {
    const used: string[] = [];
    const onTokens = async () => void used.push(await get());
    const { get } = issued({ expires_in: lifetime }, { onTokens });
    expect([await get(), used]).toEqual(["t1", ["t1"]]);
  });

  test("are renewed once more if they are rejected while onTokens stores them", async () => {
    const storing = Promise.withResolvers<void>();
    const stored = Promise.withResolvers<void>();
    const onTokens = () => (storing.resolve(), stored.promise);
    const { get } = issued({}, { onTokens });
    const first = get();
    await storing.promise;
    const others = [get("t1"), get("t1"), get()];
    stored.resolve();
    expect(await Promise.all([first, ...others])).toEqual(["t2", "t2", "t2", "t1"]);
  });

  test("are used until their end if an early refresh fails, unless they were rejected", async () => {
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    let asked = 0;
    const fetch = async () => Promise.reject(new TypeError(`failed ${++asked}`));
    const tokens = { accessToken: "t0", refreshToken: "r", expiresAt: Date.now() + 20_000 };
    const { get } = issued({}, { tokens, fetch });
    expect([await get(), await get(), asked]).toEqual(["t0", "t0", 1]);
    vi.advanceTimersByTime(20_000);
    expect(await rejection(get())).toBeInstanceOf(TokenError);
    expect(await rejection(issued({}, { tokens, fetch }).get("t0"))).toBeInstanceOf(TokenError);
  });

  test("are in no error, even if the token endpoint repeats them", async () => {
    const tokens = { accessToken: "old-access", refreshToken: "old-refresh", expiresAt: 0 };
    for (const [status, body] of [
      [400, '{"error":"old-refresh","error_description":"old-refresh"}'],
      [200, "old-access"],
      [500, '"old-refresh"'],
    ] as const) {
      await using echo = await serve(respond(status, body));
      const credential = refreshTokens({ ...optionsOf({ tokenUrl: echo.baseUrl, clientSecret: SECRET }), tokens });
      const error = await rejection(credential({ isRejected: false, signal: new AbortController().signal }));
      expect(error).toBeInstanceOf(TokenError);
      expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/old-|s3cr3t/);
    }
  });
});
