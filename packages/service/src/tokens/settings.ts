import { ConfigError } from "../settings.ts";
import { z } from "zod";

const ISSUER =
  "TOKEN_ISSUER must be an https URL, or an http URL of this machine. Example: TOKEN_ISSUER=https://login.example.com";
const KEYS_URL =
  "TOKEN_KEYS_URL must be an https URL, or an http URL of this machine. Example: TOKEN_KEYS_URL=https://login.example.com/keys";

/** The settings of tokens by environment variable, each with its validation and error message. */
export const TOKEN_SETTINGS = {
  TOKEN_ISSUER: z.string().refine(isSafeUrl, ISSUER).optional(),
  TOKEN_AUDIENCE: z.string().optional(),
  TOKEN_KEYS_URL: z.string().refine(isSafeUrl, KEYS_URL).optional(),
};

/** The issuer whose tokens are valid for this service. */
export interface TokenIssuer {
  /** The `iss` of its tokens, character by character. */
  issuer: string;
  /** The `aud` of tokens for this service. */
  audience: string;
  /** The URL of its public keys. Default: the `jwks_uri` in its OpenID Connect configuration. */
  keysUrl: string | undefined;
  /** A file with the private key, of the issuer for development alone. */
  keyFile?: string;
}

/** The validated settings of tokens. */
export interface TokenConfig {
  /** Undefined until it is set; then no token is valid. */
  tokenIssuer: TokenIssuer | undefined;
}

/**
 * Returns validated environment variables as a `TokenConfig`. Throws `ConfigError` for an issuer without an audience: tokens that
 * the issuer made for other services would be valid here.
 */
export function tokenConfig(data: z.infer<z.ZodObject<typeof TOKEN_SETTINGS>>): TokenConfig {
  const { TOKEN_ISSUER: issuer, TOKEN_AUDIENCE: audience, TOKEN_KEYS_URL: keysUrl } = data;
  if (issuer === undefined && audience === undefined && keysUrl === undefined) return { tokenIssuer: undefined };
  if (issuer === undefined) throw new ConfigError("TOKEN_ISSUER is missing. Set it to the `iss` of the tokens.");
  if (audience === undefined)
    throw new ConfigError("TOKEN_AUDIENCE is missing. Set it to the `aud` of the tokens for this service.");
  return { tokenIssuer: { issuer, audience, keysUrl } };
}

/** Whether nobody between this service and the URL can replace the keys that it returns. */
function isSafeUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null) return false;
  return (
    url.protocol === "https:" || (url.protocol === "http:" && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname))
  );
}
