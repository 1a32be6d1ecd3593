import { type Fetch, sendBy, withUrl } from "../fetch.ts";

/** A credential: an API key, a token, or a function that returns it. The function is asked again after a 401. */
export type Credential = string | BasicCredential | ((reason: CredentialReason) => Secret | Promise<Secret>);

/** A user with a password, for the scheme `basic` (RFC 7617). */
export interface BasicCredential {
  readonly username: string;
  readonly password: string;
}

/** A credential's value. */
export type Secret = string | BasicCredential;

/** Why a credential is asked for. After a 401, a cached token is no longer valid. */
export interface CredentialReason {
  isRejected: boolean;
  /** The secret that was rejected. Another call may have got a new one meanwhile. */
  rejected?: Secret | undefined;
  signal: AbortSignal;
}

/** The error of a login or a token endpoint. A call fails with it as with other responses: the code of its result is `token_error`. */
export class TokenError extends Error {
  /** The status of the endpoint's response if one arrived; 401 if the login has ended. */
  readonly status: number | undefined;
  /** The error code of RFC 6749, sections 4.1.2.1 and 5.2. After `invalid_grant`, the user has to log in again. */
  readonly code: string | undefined;
  constructor(message: string, status?: number, cause?: unknown, code?: string) {
    super(message, { cause });
    this.status = status;
    this.code = code;
  }
}

/** A security scheme of the contract. */
export interface SecurityScheme {
  /** The client's option that holds the credential, if it is not in `credentials`. */
  readonly option?: string;
  /** Whether the connection authenticates the client, so that no credential is sent. */
  readonly isOfConnection?: boolean;
  /** Returns what is wrong with a value that is no secret of this scheme, without showing it. */
  readonly problemOf: (value: unknown) => string | undefined;
  /** Adds the secret to a request. Returns the texts that no error may show. */
  readonly apply: (secret: Secret, request: AuthorizedRequest) => string[];
}

/** A request that gets its credentials. A header that the user gave has precedence. */
export interface AuthorizedRequest {
  url: string;
  readonly headers: Headers;
}

/** A scheme, and the credential for it. */
export type SchemeCredential = readonly [scheme: SecurityScheme, credential: Credential];

/** The settings of `authenticate`. */
export interface AuthenticationSettings {
  /** Gets the texts that no error may show. */
  secrets?: string[];
  /** Whether a request can be sent once only, because its body is a stream. */
  isOnce?: boolean;
}

/**
 * Returns a `fetch` that adds credentials to each request: `authenticate(fetch, [[bearer(), token]])`. A header that the request
 * has already takes precedence. After a 401, a credential that is a function is asked again, once for each request. Rejects with a TypeError for a
 * value that is no secret of its scheme.
 */
export function authenticate(
  fetch: Fetch,
  credentials: readonly SchemeCredential[],
  { secrets, isOnce = false }: AuthenticationSettings = {},
): Fetch {
  const isRenewable = !isOnce && credentials.some(([, credential]) => typeof credential === "function");
  return async (request, init) => {
    const sentSecrets = new Map<SecurityScheme, Secret>();
    const send = async (sent: Request, isRejected: boolean): Promise<Response> => {
      const authorized = { url: sent.url, headers: new Headers(init?.headers ?? sent.headers) };
      for (const [own, credential] of credentials) {
        let secret = credential as Secret;
        if (typeof credential === "function") {
          secret = await credential({
            isRejected,
            rejected: sentSecrets.get(own),
            signal: init?.signal ?? request.signal,
          });
          const problem = own.problemOf(secret);
          if (problem) throw new TypeError(`The credential ${problem}`);
        }
        sentSecrets.set(own, secret);
        const texts = own.apply(secret, authorized);
        secrets?.push(...texts);
      }
      const { url, headers } = authorized;
      if (url === sent.url) return sendBy(fetch, sent, { ...init, headers });
      const copy = new Request(url, sent);
      // With its bytes, a body keeps its Content-Length.
      const body = isOnce || sent.body === null ? {} : { body: await copy.arrayBuffer() };
      return withUrl(await sendBy(fetch, copy, { ...init, headers, ...body }), sent.url);
    };
    const again = isRenewable && request.body !== null ? request.clone() : request;
    const response = await send(request, false);
    if (response.status !== 401 || !isRenewable) return response;
    response.body?.cancel().catch(() => {});
    return send(again, true);
  };
}

/** The scheme of a token in `Authorization: Bearer` (RFC 6750). */
export function bearer(option?: string): SecurityScheme {
  return scheme(option, keyProblem, (secret, { headers }) => {
    setMissing(headers, "Authorization", `Bearer ${secret as string}`);
    return [secret as string];
  });
}

/** The scheme of a user name and a password (RFC 7617, in UTF-8). */
export function basic(option?: string): SecurityScheme {
  return scheme(option, basicProblem, (secret, { headers }) => {
    const { username, password } = secret as BasicCredential;
    const encoded = btoa(String.fromCharCode(...new TextEncoder().encode(`${username}:${password}`)));
    setMissing(headers, "Authorization", `Basic ${encoded}`);
    return [...(password ? [password] : []), encoded];
  });
}

/** The scheme of an API key in a header, the query or a cookie. */
export function apiKey(place: "header" | "query" | "cookie", name: string, option?: string): SecurityScheme {
  return scheme(option, keyProblem, (secret, request) => {
    const key = secret as string;
    const pair = `${encodeURIComponent(name)}=${encodeURIComponent(key)}`;
    if (place === "header") setMissing(request.headers, name, key);
    else if (place === "query") request.url += (request.url.includes("?") ? "&" : "?") + pair;
    else request.headers.set("Cookie", [request.headers.get("Cookie"), pair].filter(Boolean).join("; "));
    return [key];
  });
}

/** The scheme of client certificates, which the connection carries and not the request. */
export function mutualTls(): SecurityScheme {
  return { isOfConnection: true, problemOf: () => undefined, apply: () => [] };
}

function setMissing(headers: Headers, name: string, value: string): void {
  if (!headers.has(name)) headers.set(name, value);
}

function scheme(
  option: string | undefined,
  problemOf: SecurityScheme["problemOf"],
  apply: SecurityScheme["apply"],
): SecurityScheme {
  return { ...(option !== undefined && { option }), problemOf, apply };
}

/** A key or token has visible ASCII characters only. */
function keyProblem(value: unknown): string | undefined {
  return typeof value === "string" && /^[\x21-\x7e]+$/.test(value)
    ? undefined
    : "is not an API key. Pass it as issued, without spaces or line breaks.";
}

function basicProblem(value: unknown): string | undefined {
  const { username, password } = Object(value) as Partial<BasicCredential>;
  return typeof username === "string" && typeof password === "string" && !username.includes(":")
    ? undefined
    : "is not { username, password } with a user name without a colon.";
}
