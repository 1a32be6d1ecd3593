import createOpenapiClient from "openapi-fetch";
import { type Fetch, sendBy } from "../fetch.ts";
import { type CredentialReason, TokenError } from "./authentication.ts";
import { sizeLimit } from "./size-limit.ts";
import { timeLimit } from "./time-limit.ts";

/** The settings of `clientCredentials`. */
export interface ClientCredentialsOptions {
  /** The token endpoint of the authorization server. */
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  scopes?: readonly string[] | undefined;
  /** Sends the request for a token. Default: the runtime's `fetch`. */
  fetch?: Fetch | undefined;
}

/** The limits of a request for a token. */
const MOST_BYTES = 1_000_000;
const TIME_LIMIT = 30_000;

/** The seconds before the end of a token's lifetime at which the next one is fetched. */
const MARGIN = 30;

/**
 * Returns a credential for OAuth 2.0 client credentials (RFC 6749, section 4.4). All calls share one token. A new one is fetched
 * before the end of its lifetime, and after a 401. The secret is sent to the token endpoint only.
 */
export function clientCredentials(options: ClientCredentialsOptions): (reason: CredentialReason) => Promise<string> {
  const { tokenUrl, clientId, clientSecret, scopes = [], fetch } = options;
  const { origin, pathname, search } = new URL(tokenUrl);
  const limited = timeLimit(
    sizeLimit((request, init) => sendBy(fetch ?? globalThis.fetch, request, init), MOST_BYTES),
    TIME_LIMIT,
  );
  const { POST } = createOpenapiClient({ baseUrl: origin, redirect: "error", fetch: limited }) as unknown as {
    POST: (path: string, init: object) => Promise<TokenResponse>;
  };
  let current: { token: string; end: number } | undefined;
  let pending: Promise<string> | undefined;

  async function renew(): Promise<string> {
    const basic = btoa([clientId, clientSecret].map(formEncoded).join(":"));
    const body = { grant_type: "client_credentials", ...(scopes.length > 0 && { scope: scopes.join(" ") }) };
    const headers = { Authorization: `Basic ${basic}`, "Content-Type": "application/x-www-form-urlencoded" };
    const sent = POST(pathname + search, { headers, body }).catch((cause: unknown) => {
      // The message of a SyntaxError repeats the response, which may be a token.
      if (cause instanceof SyntaxError) throw new TokenError("The response of the token endpoint is not JSON.");
      throw new TokenError("The token endpoint cannot be reached. See cause.", undefined, cause);
    });
    const { data, error, response } = await sent;
    const token = data?.access_token;
    if (typeof token !== "string" || !/^bearer$/i.test(data?.token_type ?? "bearer"))
      throw new TokenError(
        `The token endpoint responded with status ${response.status}${error?.error ? ` and ${error.error}` : ""}.`,
        response.status,
      );
    const lifetime = typeof data?.expires_in === "number" ? data.expires_in : Infinity;
    current = { token, end: performance.now() + (lifetime - MARGIN) * 1_000 };
    return token;
  }

  return async ({ isRejected, rejected }) => {
    if (isRejected && (rejected === undefined || rejected === current?.token)) current = undefined;
    if (current !== undefined && performance.now() < current.end) return current.token;
    pending ??= renew().finally(() => (pending = undefined));
    return pending;
  };
}

interface TokenResponse {
  data?: { access_token?: string; token_type?: string; expires_in?: number };
  error?: { error?: string };
  response: Response;
}

/** Encodes an id or a secret as RFC 6749, section 2.3.1, asks. */
function formEncoded(text: string): string {
  return encodeURIComponent(text).replaceAll("%20", "+");
}
