import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

/** An issuer of tokens for tests, with its OpenID Connect configuration and its public key. */
export interface Issuer extends AsyncDisposable {
  /** The settings of a service that accepts its tokens. */
  env: Record<"TOKEN_ISSUER" | "TOKEN_AUDIENCE", string>;
  /** Returns a token with scopes. The claims replace those of a valid token. */
  token: (scopes?: readonly string[], claims?: object) => Promise<string>;
}

/** Starts an issuer on a free port. */
export async function startIssuer(): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const keys = [{ ...(await exportJWK(publicKey)), kid: "test", alg: "ES256", use: "sig" }];
  const server = createServer((request, response) => {
    const documents: Record<string, object> = {
      "/.well-known/openid-configuration": { issuer: env.TOKEN_ISSUER, jwks_uri: `${env.TOKEN_ISSUER}/keys` },
      "/keys": { keys },
    };
    const document = documents[request.url ?? ""];
    response.writeHead(document === undefined ? 404 : 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(document ?? {}));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const env = {
    TOKEN_ISSUER: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    TOKEN_AUDIENCE: "service-under-test",
  };
  return {
    env,
    token: (scopes = [], claims = {}) => {
      const now = Math.floor(Date.now() / 1_000);
      const valid = { iss: env.TOKEN_ISSUER, aud: env.TOKEN_AUDIENCE, sub: "tester", iat: now, exp: now + 600 };
      return new SignJWT({ ...valid, scope: scopes.join(" "), ...claims })
        .setProtectedHeader({ alg: "ES256", kid: "test" })
        .sign(privateKey);
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
