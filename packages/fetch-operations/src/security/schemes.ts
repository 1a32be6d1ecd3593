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
  /** Returns the parts of the request that carry the secret. */
  readonly apply: (secret: Secret) => Applied;
}

/** The parts of a request that carry a secret. */
export interface Applied {
  headers?: Record<string, string>;
  /** `name=value`, encoded. */
  query?: string;
  cookie?: string;
}

/** The scheme of a token in `Authorization: Bearer` (RFC 6750). */
export function bearer(option?: string): SecurityScheme {
  return scheme(option, (secret) => ({ headers: { Authorization: `Bearer ${visible(secret)}` } }));
}

/** The scheme of a user name and a password (RFC 7617, in UTF-8). */
export function basic(option?: string): SecurityScheme {
  return scheme(option, (secret) => {
    if (typeof secret === "string" || secret.username.includes(":"))
      throw new TypeError("A basic credential is { username, password }, and the user name has no colon.");
    const bytes = new TextEncoder().encode(`${secret.username}:${secret.password}`);
    return { headers: { Authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` } };
  });
}

/** The scheme of an API key in a header, the query or a cookie. */
export function apiKey(place: "header" | "query" | "cookie", name: string, option?: string): SecurityScheme {
  return scheme(option, (secret) => {
    const key = visible(secret);
    if (place === "header") return { headers: { [name]: key } };
    const pair = `${encodeURIComponent(name)}=${encodeURIComponent(key)}`;
    return place === "query" ? { query: pair } : { cookie: pair };
  });
}

/** The scheme of client certificates, which the connection carries and not the request. */
export function mutualTls(): SecurityScheme {
  return { isOfConnection: true, apply: () => ({}) };
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
