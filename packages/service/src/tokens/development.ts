import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { SERVICE } from "@openapi-operations/command-line/name";
import {
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTVerifyGetKey,
  SignJWT,
} from "jose";
import type { TokenIssuer } from "./settings.ts";

const ALGORITHM = "ES256";

/** Returns the issuer whose tokens are valid in development while no other is set. Its private key is in a file. */
export function developmentIssuer(keyFile: string): TokenIssuer {
  return { issuer: "urn:development", audience: SERVICE.name, keysUrl: undefined, keyFile };
}

/** Returns a token (RFC 7519) of the development issuer. Writes its key first if there is none, for its owner alone. */
export async function signDevelopmentToken(
  { issuer, audience, keyFile }: TokenIssuer,
  { subject, scopes, seconds }: { subject: string; scopes: readonly string[]; seconds: number },
): Promise<string> {
  if (!existsSync(keyFile!)) await writeKey(keyFile!);
  const key = await importJWK(JSON.parse(readFileSync(keyFile!, "utf8")) as JWK, ALGORITHM);
  return new SignJWT({ scope: scopes.join(" ") })
    .setProtectedHeader({ alg: ALGORITHM })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(subject)
    .setIssuedAt()
    .setExpirationTime(Math.floor(Date.now() / 1_000) + seconds)
    .sign(key);
}

/** Returns the public key of the development issuer. Without a file, no token has been made, and none is valid. */
export function developmentKeys(keyFile: string): JWTVerifyGetKey {
  if (!existsSync(keyFile)) return createLocalJWKSet({ keys: [] });
  const { d: _, ...publicKey } = JSON.parse(readFileSync(keyFile, "utf8")) as JWK;
  return createLocalJWKSet({ keys: [publicKey] });
}

/** Writes a private key, unless another process does so first. */
async function writeKey(file: string): Promise<void> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  mkdirSync(dirname(file), { recursive: true });
  const own = `${file}.${process.pid}`;
  writeFileSync(own, JSON.stringify({ ...(await exportJWK(privateKey)), alg: ALGORITHM }), { mode: 0o600 });
  chmodSync(own, 0o600);
  try {
    linkSync(own, file); // fails if the file exists
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(own);
  }
}
