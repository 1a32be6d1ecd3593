import { problem } from "../problems.ts";
import type { RequestState } from "../http/stages.ts";
import type { SecurityHandler } from "express-operations";
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify, type JWTVerifyGetKey } from "jose";
import { developmentKeys } from "./development.ts";
import type { TokenIssuer } from "./settings.ts";

/** The caller of a request with a token. */
export interface TokenCaller {
  /** The `sub` of the token. */
  id: string;
  /** The client that the token was issued to, else the subject. The log names it. */
  name: string;
  claims: JWTPayload;
}

/** Signatures with a public key. A secret that the issuer shares with its clients must not sign. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/** Clocks may differ this much, in seconds. */
const CLOCK_TOLERANCE = 5;

/** A change of the system's clock by more than this, in milliseconds, makes the age of the issuer's keys unknown. */
const CLOCK_CHANGE = 60_000;

/** How long the configuration of the issuer may take, in milliseconds. */
const DISCOVERY_TIMEOUT = 5_000;

/** No token is longer; validating one takes time in proportion to its length. */
const MAX_TOKEN_LENGTH = 16_384;

/**
 * Returns a function that validates a JSON Web Token (RFC 7519) of an issuer: signature, `iss`, `aud`, `exp` and `nbf`. Its scopes
 * are those in `scope` or `scp`. Without an issuer, no token is valid. While the issuer's keys cannot be read, requests with a
 * token get 503.
 */
export function verifyToken(issuer: TokenIssuer | undefined): SecurityHandler<TokenCaller> {
  if (issuer === undefined) return () => undefined;
  let keys: Promise<JWTVerifyGetKey> | undefined;
  let clock = clockOffset();
  return async (token, request) => {
    if (token.length > MAX_TOKEN_LENGTH) return undefined;
    const claims = await verifiedClaims(token, issuer, currentKeys);
    if (claims?.sub === undefined) return undefined;
    const { azp, client_id: clientId } = claims;
    const caller = { id: claims.sub, name: textIn(azp) ?? textIn(clientId) ?? claims.sub, claims };
    (request.res!.locals as RequestState).caller = { id: caller.id, name: caller.name };
    return { caller, scopes: scopesIn(claims) };
  };

  /** Reads the keys anew after a change of the clock. `jose` would cache them for as long as the clock was set back. */
  function currentKeys(): Promise<JWTVerifyGetKey> {
    if (Math.abs(clockOffset() - clock) > CLOCK_CHANGE) keys = undefined;
    clock = clockOffset();
    if (issuer!.keyFile !== undefined) return keysOf(issuer!); // it may have been written since
    return (keys ??= keysOf(issuer!).catch(forget));
  }

  /** The next request asks again, because the issuer may be reachable by then. */
  function forget(error: unknown): never {
    keys = undefined;
    throw error;
  }
}

/** Returns the time of the system less that of the monotonic clock. It changes only if the system's clock is set. */
function clockOffset(): number {
  return Date.now() - performance.now();
}

/** Returns the claims of a valid token, else undefined. Throws the 503 if the keys of the issuer cannot be read. */
async function verifiedClaims(
  token: string,
  { issuer, audience }: TokenIssuer,
  keys: () => Promise<JWTVerifyGetKey>,
): Promise<JWTPayload | undefined> {
  try {
    const options = {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      requiredClaims: ["exp"],
      clockTolerance: CLOCK_TOLERANCE,
    };
    const findKey: JWTVerifyGetKey = async (header, jws) => (await keys())(header, jws);
    const { payload } = await jwtVerify(token, findKey, options);
    return payload;
  } catch (error) {
    if (isInvalidToken(error)) return undefined;
    throw problem("unavailable", { "Retry-After": "1" });
  }
}

/** Whether the token is to blame, and not the way to the keys of the issuer. */
function isInvalidToken(error: unknown): boolean {
  return (
    error instanceof errors.JOSEError &&
    !(error instanceof errors.JWKSTimeout) &&
    !(error instanceof errors.JWKSInvalid) &&
    error.code !== errors.JOSEError.code
  );
}

/** Returns the function that finds the public key of a token. It reads the keys again if one is unknown, at most twice a minute. */
async function keysOf({ issuer, keysUrl, keyFile }: TokenIssuer): Promise<JWTVerifyGetKey> {
  if (keyFile !== undefined) return developmentKeys(keyFile);
  return createRemoteJWKSet(new URL(keysUrl ?? (await discoveredKeysUrl(issuer))));
}

/** OpenID Connect Discovery 1.0, section 4. */
async function discoveredKeysUrl(issuer: string): Promise<string> {
  const response = await fetch(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, {
    signal: AbortSignal.timeout(DISCOVERY_TIMEOUT),
    headers: { Accept: "application/json" },
  });
  const found = response.ok ? ((await response.json()) as { issuer?: unknown; jwks_uri?: unknown }) : {};
  if (found.issuer === issuer && typeof found.jwks_uri === "string") return found.jwks_uri;
  throw new Error(`The issuer ${issuer} has no OpenID Connect configuration of its own. Set TOKEN_KEYS_URL.`);
}

/** RFC 9068, section 2.2.3, and the claim `scp` of other issuers. */
function scopesIn({ scope, scp }: JWTPayload): string[] {
  if (typeof scope === "string") return scope.split(" ").filter((each) => each !== "");
  if (Array.isArray(scp)) return scp.filter((each) => typeof each === "string");
  return typeof scp === "string" ? scp.split(" ").filter((each) => each !== "") : [];
}

function textIn(claim: unknown): string | undefined {
  return typeof claim === "string" ? claim : undefined;
}
