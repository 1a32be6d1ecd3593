/** A credential: an API key, a token, or a function that returns it. The function is asked again after a 401, once. */
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
  signal: AbortSignal;
}

/** A security scheme of the contract. */
export interface SecurityScheme {
  /** The client's option that holds the credential, if it is not in `credentials`. */
  readonly option?: string;
  /** Whether the connection authenticates the client, so that no credential is sent. */
  readonly isOfConnection?: boolean;
  /** Adds the secret to a request. Returns the texts that no error may show. */
  readonly apply: (secret: Secret, request: AuthorizedRequest) => string[];
}

/** The credentials of a client, by security scheme. */
export type Credentials = Readonly<Record<string, Credential | undefined>>;

/** A request that gets its credentials. A header that the user gave has precedence. */
export interface AuthorizedRequest {
  url: string;
  readonly headers: Headers;
}

/** The scheme of a token in `Authorization: Bearer` (RFC 6750). */
export function bearer(option?: string): SecurityScheme {
  return scheme(option, (secret, { headers }) => {
    setMissing(headers, "Authorization", `Bearer ${visible(secret)}`);
    return [secret as string];
  });
}

/** The scheme of a user name and a password (RFC 7617, in UTF-8). */
export function basic(option?: string): SecurityScheme {
  return scheme(option, (secret, { headers }) => {
    if (typeof secret === "string" || secret.username.includes(":"))
      throw new TypeError("A basic credential is { username, password }, and the user name has no colon.");
    const { username, password } = secret;
    const encoded = btoa(String.fromCharCode(...new TextEncoder().encode(`${username}:${password}`)));
    setMissing(headers, "Authorization", `Basic ${encoded}`);
    return [...(password ? [password] : []), encoded];
  });
}

/** The scheme of an API key in a header, the query or a cookie. */
export function apiKey(place: "header" | "query" | "cookie", name: string, option?: string): SecurityScheme {
  return scheme(option, (secret, request) => {
    const key = visible(secret);
    const pair = `${encodeURIComponent(name)}=${encodeURIComponent(key)}`;
    if (place === "header") setMissing(request.headers, name, key);
    else if (place === "query") request.url += (request.url.includes("?") ? "&" : "?") + pair;
    else request.headers.set("Cookie", [request.headers.get("Cookie"), pair].filter(Boolean).join("; "));
    return [key];
  });
}

/** The scheme of client certificates, which the connection carries and not the request. */
export function mutualTls(): SecurityScheme {
  return { isOfConnection: true, apply: () => [] };
}

function setMissing(headers: Headers, name: string, value: string): void {
  if (!headers.has(name)) headers.set(name, value);
}

function scheme(option: string | undefined, apply: SecurityScheme["apply"]): SecurityScheme {
  return option === undefined ? { apply } : { option, apply };
}

function visible(secret: Secret): string {
  if (!isKey(secret))
    throw new TypeError("A credential is not a key. Pass it as issued, without spaces or line breaks.");
  return secret;
}

/** Returns whether a value is a key or token: visible ASCII characters. */
export function isKey(value: unknown): value is string {
  return typeof value === "string" && /^[\x21-\x7e]+$/.test(value);
}
