import type { TokenCaller } from "@openapi-operations/service/verify-token";
import { openDatabase } from "@openapi-operations/storage/database";
import { expect, expectTypeOf, test } from "vitest";
import type { Authenticated } from "../src/authentication.ts";
import type { ApiKeysTables } from "../src/keys.table.ts";
import { type CallerOf, type Schemes, securityConfig, securitySettings } from "../src/schemes.ts";
import { credentialsSentence, securityOptions } from "../src/security.ts";

const documentOf = (securitySchemes: Record<string, object>) => ({ openapi: "3.1.0", components: { securitySchemes } });
const document = documentOf({
  key: { type: "apiKey", in: "query", name: "api_key" },
  oauth: { type: "oauth2" },
  jwt: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
  opaque: { type: "http", scheme: "bearer" },
  user: { type: "http", scheme: "Basic" },
  digest: { type: "http", scheme: "digest" },
  certificate: { type: "mutualTLS" },
});

interface User {
  id: string;
  name: string;
  team: string;
}
const verifyPassword = (credential: string): { caller: User } | undefined =>
  credential === "ann:secret" ? { caller: { id: "ann", name: "Ann", team: "x" } } : undefined;
const ALL = {
  key: "apiKey",
  opaque: "apiKey",
  oauth: "token",
  user: verifyPassword,
  certificate: () => undefined,
} as const satisfies Schemes;

const CONTEXT = {
  storage: { db: openDatabase<ApiKeysTables>("file:never-opened.db") },
  keyUses: { record: () => {}, close: async () => {} },
  environment: "development",
  quickstartFile: "never-written.key",
  rateLimits: { perCaller: undefined, failuresPerAddress: undefined },
} as const;

test("each scheme has the validation of its kind, and schemes of one kind share it", async () => {
  const { security } = await securityOptions(document, ALL, CONTEXT);
  expect(security).toEqual({
    key: expect.any(Function),
    opaque: security["key"],
    oauth: expect.any(Function),
    user: verifyPassword,
    certificate: ALL.certificate,
  });
});

test("only schemes with tokens have settings, which only then must name an issuer with an audience", () => {
  expect(Object.keys(securitySettings(ALL))).toEqual(["TOKEN_ISSUER", "TOKEN_AUDIENCE", "TOKEN_KEYS_URL"]);
  expect(securitySettings({ key: "apiKey" })).toEqual({});
  expect(securityConfig({})).toEqual({});
  expect(securityConfig({ TOKEN_ISSUER: undefined })).toEqual({ tokenIssuer: undefined });
  expect(() => securityConfig({ TOKEN_ISSUER: "https://issuer.example" })).toThrow("TOKEN_AUDIENCE is missing");
});

test("the caller has the type of each validation, and is undefined without one", () => {
  expectTypeOf<CallerOf<typeof ALL>>().toEqualTypeOf<Authenticated["caller"] | TokenCaller | User>();
  expectTypeOf<CallerOf<{ key: "apiKey"; other: () => undefined }>>().toEqualTypeOf<Authenticated["caller"]>();
  expectTypeOf<CallerOf<{ other: () => undefined }>>().toEqualTypeOf<undefined>();
  expectTypeOf<CallerOf<{}>>().toEqualTypeOf<undefined>();
});

test.each<[string, Schemes, string]>([
  ["no scheme", {}, "Valid credentials are required for this operation."],
  ["keys", { opaque: "apiKey" }, "A valid API key is required, sent as: Authorization: Bearer <API_KEY>."],
  [
    "several schemes",
    { key: "apiKey", jwt: "token", oauth: "token", user: verifyPassword, digest: verifyPassword },
    "Valid credentials are required: an API key in the query parameter api_key, or a token, sent as: Authorization: Bearer <TOKEN>, or a user name and a password, sent as: Authorization: Basic <BASE64>, or credentials of the scheme digest.",
  ],
])("the message of a 401 says how to send the credentials of %s", (_title, schemes, message) => {
  expect(credentialsSentence(document, schemes)).toBe(message);
});
