import { expect, test } from "vitest";
import { contextFile, credentialsSentence, securityFile } from "../src/security-files.ts";

const schemes = {
  key: { type: "apiKey", in: "query", name: "api_key" },
  oauth: { type: "oauth2" },
  jwt: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
  opaque: { type: "http", scheme: "bearer" },
  user: { type: "http", scheme: "basic" },
  certificate: { type: "mutualTLS" },
};
const securityOf = (...names: (keyof typeof schemes)[]) => ({
  schemes: new Map(names.map((name) => [name, schemes[name]])),
});

test("each scheme has the verifier of its kind, and one that nothing verifies gets 401", () => {
  const text = securityFile(securityOf("key", "oauth", "jwt", "opaque", "user", "certificate"));
  for (const line of ['"key": apiKey', '"oauth": token', '"jwt": token', '"opaque": apiKey', '"user": verifyPassword'])
    expect(text).toContain(`    ${line},`);
  expect(text).toContain('"certificate": () => undefined,');
  expect(text).toContain("SECURITY_SETTINGS = TOKEN_SETTINGS");
});

test("a contract without tokens has no settings for them", () => {
  expect(securityFile(securityOf("key"))).not.toMatch(/token(?!Issuer\?: never)/i);
});

test("the caller has the type of each verifier, and is undefined without one", () => {
  expect(contextFile(securityOf("key"))).toContain('export type Caller = Authenticated["caller"];');
  expect(contextFile(securityOf("jwt", "user"))).toContain("export type Caller = TokenCaller | BasicCaller;");
  expect(contextFile(securityOf())).toContain("export type Caller = undefined;");
});

test("the message of a 401 says how to send each credential", () => {
  expect(credentialsSentence(securityOf("key", "jwt", "oauth", "user"))).toBe(
    "Valid credentials are required: an API key in the query parameter api_key, or a token, sent as: Authorization: Bearer <TOKEN>, or a user name and a password, sent as: Authorization: Basic <BASE64>.",
  );
});
