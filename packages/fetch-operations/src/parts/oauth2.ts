import createOpenapiClient from "openapi-fetch";
import { type Fetch, sendBy } from "../fetch.ts";
import { type CredentialReason, TokenError } from "./authentication.ts";
import { sizeLimit } from "./size-limit.ts";
import { timeLimit } from "./time-limit.ts";

/** A client as it is registered with an authorization server. */
export interface OAuthClient {
  /** The token endpoint of the authorization server. */
  tokenUrl: string;
  clientId: string;
  /** The secret of a confidential client. A public client has none, such as a page or a command line. */
  clientSecret?: string | undefined;
  /** Sends the requests for tokens. Default: the runtime's `fetch`. */
  fetch?: Fetch | undefined;
}

/** The settings of `clientCredentials`. */
export interface ClientCredentialsOptions extends OAuthClient {
  clientSecret: string;
  scopes?: readonly string[] | undefined;
}

/** The settings of a login. */
export interface AuthorizationCodeOptions extends OAuthClient {
  /** The authorization endpoint. Its query may have parameters of the server's own: `…/authorize?audience=books`. */
  authorizationUrl: string;
  /** The registered URL at which the application finishes the login. */
  redirectUri: string;
  scopes?: readonly string[] | undefined;
}

/** The secrets of a login that has begun. Keep them in the user's session until the redirect, such as in `sessionStorage`. */
export interface PendingLogin {
  state: string;
  codeVerifier: string;
}

/** The tokens of a login, which JSON can store. */
export interface Tokens {
  accessToken: string;
  refreshToken?: string | undefined;
  /** The end of the access token's lifetime, in milliseconds since 1970; undefined if the server does not say. */
  expiresAt?: number | undefined;
}

/** The settings of `refreshTokens`. */
export interface RefreshTokensOptions extends OAuthClient {
  /** The tokens of `finishLogin`, or those of the last `onTokens`. */
  tokens: Tokens;
  /**
   * Called with new tokens, to store them. The old refresh token may be invalid by then. The calls that wait for the refresh reject with its
   * error. Calls that begin meanwhile, such as its own, have the new token. If that is rejected, they wait for `onTokens` and another one.
   */
  onTokens?: ((tokens: Tokens) => void | Promise<void>) | undefined;
}

type TokenCredential = (reason: CredentialReason) => Promise<string>;

/** The limits of a request for a token. */
const MOST_BYTES = 1_000_000;
const TIME_LIMIT = 30_000;

/** The milliseconds before the end of a token's lifetime at which the next one is fetched: at most half of the lifetime. */
const MARGIN = 30_000;

/**
 * Returns a credential for OAuth 2.0 client credentials (RFC 6749, section 4.4). All calls share one token. A new one is fetched
 * before the end of its lifetime, and after a 401. The secret is sent to the token endpoint only.
 */
export function clientCredentials({ scopes, ...client }: ClientCredentialsOptions): TokenCredential {
  const requestTokens = tokenEndpoint(client);
  return renewed(undefined, () => requestTokens({ grant_type: "client_credentials", ...scopeOf(scopes) }));
}

/**
 * Begins a login by authorization code with PKCE (RFC 6749, section 4.1, and RFC 7636, S256). Send the user to `url`, and keep `pending`
 * until the redirect. In browsers, it needs HTTPS or localhost.
 */
export async function beginLogin(options: AuthorizationCodeOptions): Promise<{ url: string; pending: PendingLogin }> {
  const { authorizationUrl, clientId, redirectUri, scopes } = options;
  const pending = { state: randomText(), codeVerifier: randomText() };
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(pending.codeVerifier));
  const url = new URL(authorizationUrl);
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    ...scopeOf(scopes),
    state: pending.state,
    code_challenge: base64Url(new Uint8Array(digest)),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, pending };
}

/**
 * Exchanges the code of a redirect for tokens. `redirect` is the URL to which the user came back, or its path and query. Rejects with a
 * `TokenError` if the redirect belongs to another login or none, and if the user or the server refused the login.
 */
export async function finishLogin(
  { redirectUri, ...client }: AuthorizationCodeOptions,
  redirect: string | URL,
  pending: PendingLogin | null | undefined,
): Promise<Tokens> {
  const { searchParams } = new URL(redirect, redirectUri);
  // Another site may have sent the user here, with a code of its own: https://www.rfc-editor.org/rfc/rfc9700#section-4.7
  if (!pending?.state || searchParams.get("state") !== pending.state)
    throw new TokenError("The redirect does not belong to this login. Begin the login again.");
  const code = searchParams.get("code");
  if (code === null) {
    const error = errorCodeOf(searchParams.get("error"));
    throw new TokenError(`The login was refused with ${error ?? "no code"}.`, undefined, undefined, error);
  }
  return tokenEndpoint(client)({
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    code_verifier: pending.codeVerifier,
  });
}

/**
 * Returns a credential that has the access token of a login, and refreshes it (RFC 6749, section 6) before the end of its lifetime
 * and after a 401. All calls share one refresh, and the refresh token that a response has replaces the last one. If it is refused, the
 * token endpoint is not asked again. From the end of the access token on, calls fail with a `TokenError` with the code `invalid_grant`: the
 * user has to log in again.
 */
export function refreshTokens({ tokens, onTokens, ...client }: RefreshTokensOptions): TokenCredential {
  const requestTokens = tokenEndpoint(client);
  let { refreshToken } = tokens;
  const refresh = async (): Promise<Tokens> => {
    if (!refreshToken) throw new TokenError("The login has ended. Log in again.", 401, undefined, "invalid_grant");
    try {
      const next = await requestTokens({ grant_type: "refresh_token", refresh_token: refreshToken });
      refreshToken = next.refreshToken ?? refreshToken;
      return { ...next, refreshToken };
    } catch (error) {
      if ((error as TokenError).code === "invalid_grant") refreshToken = undefined;
      throw error;
    }
  };
  return renewed(tokens, refresh, onTokens);
}

/**
 * Returns a credential that has one access token for all calls, and renews it before the end of its lifetime or after a 401. If an early
 * renewal fails, the token is used until its end.
 */
function renewed(
  first: Tokens | undefined,
  renew: () => Promise<Tokens>,
  onTokens?: RefreshTokensOptions["onTokens"],
): TokenCredential {
  let current = first;
  let margin = MARGIN;
  let end = monotonicEnd(first);
  let storing: Tokens | undefined;
  let pending: Promise<void> | undefined;
  // Two clocks, because that of the system may be set back, and that of the process may stand still while the machine sleeps.
  const left = (tokens: Tokens) => Math.min((tokens.expiresAt ?? Infinity) - Date.now(), end - performance.now());
  const next = async (): Promise<void> => {
    let tokens: Tokens;
    try {
      tokens = await renew();
    } catch (error) {
      if (!current || left(current) <= 0) throw error;
      margin = 0;
      return;
    }
    current = tokens;
    end = monotonicEnd(tokens);
    margin = Math.min(MARGIN, left(tokens) / 2);
    storing = tokens;
    try {
      await onTokens?.(tokens);
    } finally {
      storing = undefined;
    }
  };
  return async ({ isRejected, rejected }) => {
    if (isRejected && (rejected === undefined || rejected === current?.accessToken)) current = undefined;
    // `onTokens` may use the credential. It must not wait for itself.
    else if (storing && storing.accessToken !== rejected) return storing.accessToken;
    if (current && left(current) > margin) return current.accessToken;
    // A token that is rejected while `onTokens` stores it is renewed once more.
    for (;;) {
      await (pending ??= next().finally(() => (pending = undefined)));
      if (current) return current.accessToken;
    }
  };
}

/** Returns the end of a lifetime on the clock of the process, which nobody can set. */
function monotonicEnd(tokens: Tokens | undefined): number {
  return performance.now() + (tokens?.expiresAt ?? Infinity) - Date.now();
}

interface TokenResponse {
  data?: { access_token?: string; refresh_token?: string; token_type?: string; expires_in?: number | string };
  error?: { error?: string };
  response: Response;
}

/** Returns a function that asks a token endpoint for tokens (RFC 6749, section 3.2). Its errors show no secret and no token. */
function tokenEndpoint(client: OAuthClient): (form: Record<string, string>) => Promise<Tokens> {
  const { tokenUrl, clientId, clientSecret, fetch } = client;
  const { origin, pathname, search } = new URL(tokenUrl);
  const limited = timeLimit(
    sizeLimit((request, init) => sendBy(fetch ?? globalThis.fetch, request, init), MOST_BYTES),
    TIME_LIMIT,
  );
  const { POST } = createOpenapiClient({ baseUrl: origin, redirect: "error", fetch: limited }) as unknown as {
    POST: (path: string, init: object) => Promise<TokenResponse>;
  };
  const basic = clientSecret !== undefined && btoa([clientId, clientSecret].map(formEncoded).join(":"));
  const headers = {
    ...(basic && { Authorization: `Basic ${basic}` }),
    "Content-Type": "application/x-www-form-urlencoded",
  };
  return async (form) => {
    const body = basic ? form : { ...form, client_id: clientId };
    const sent = POST(pathname + search, { headers, body }).catch((cause: unknown) => {
      // The message of a SyntaxError repeats the response, which may be a token.
      if (cause instanceof SyntaxError) throw new TokenError("The response of the token endpoint is not JSON.");
      throw new TokenError("The token endpoint cannot be reached. See cause.", undefined, cause);
    });
    const { data, error, response } = await sent;
    const { access_token: token, refresh_token: refreshToken, expires_in: lifetime } = data ?? {};
    if (typeof token !== "string" || !token || !/^bearer$/i.test(data?.token_type ?? "bearer")) {
      const code = errorCodeOf(error?.error);
      const advice = code === "invalid_grant" ? " Log in again." : "";
      const message = `The token endpoint responded with status ${response.status}${code ? ` and ${code}` : ""}.${advice}`;
      throw new TokenError(message, response.status, undefined, code);
    }
    return {
      accessToken: token,
      ...(typeof refreshToken === "string" && refreshToken && { refreshToken }),
      // Some servers send the seconds as a string.
      ...(/^\d+(?:\.\d+)?$/.test(String(lifetime)) && { expiresAt: Date.now() + Number(lifetime) * 1_000 }),
    };
  };
}

/** Returns an error code. What does not look like one may be a secret that the server repeats. */
function errorCodeOf(value: unknown): string | undefined {
  return typeof value === "string" && /^[a-z_]{1,50}$/.test(value) ? value : undefined;
}

function scopeOf(scopes: readonly string[] = []): { scope?: string } {
  return scopes.length > 0 ? { scope: scopes.join(" ") } : {};
}

/** Encodes an id or a secret as RFC 6749, section 2.3.1, asks. */
function formEncoded(text: string): string {
  return encodeURIComponent(text).replaceAll("%20", "+");
}

/** Returns 256 random bits in 43 characters, as RFC 7636, section 4.1, recommends. */
function randomText(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)));
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
