import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "@platform/test-support/clone";
import type { Request } from "express";
import { expect, test } from "vitest";
import { startIssuer } from "../../src/tokens/issuer.ts";
import { tokenConfig } from "../../src/tokens/settings.ts";
import { verifyToken } from "../../src/tokens/verify-token.ts";

const page = readFileSync(join(root, "packages/create-openapi-operations/docs/login.md"), "utf8");

/** The settings and the claims that the page shows for each provider. */
const PROVIDERS = Array.from(
  page.matchAll(/^### ([^\n]*)\n[^#]*?```ini\n(.*?)```[^#]*?```json\n(.*?)```/gms),
  ([, provider, settings, claims]) => ({
    provider,
    settings: Object.fromEntries(Array.from(settings!.matchAll(/^(\w+)=(.*)$/gm), ([, name, value]) => [name, value])),
    claims: JSON.parse(claims!) as { azp: string },
  }),
);

test("the page has three providers", () => {
  expect(PROVIDERS.map(({ provider }) => provider)).toEqual(["Keycloak", "Auth0", "Microsoft Entra ID"]);
});

test.each(PROVIDERS)("with the settings for $provider, its token is valid", async ({ settings, claims }) => {
  await using issuer = await startIssuer();
  const { tokenIssuer } = tokenConfig(settings);
  const verify = verifyToken({ ...tokenIssuer!, keysUrl: `${issuer.env.TOKEN_ISSUER}/keys` });
  const token = await issuer.token([], { scope: undefined, ...claims, iss: settings["TOKEN_ISSUER"], sub: "ada" });
  const grant = await verify(token, { res: { locals: {} } } as unknown as Request);
  expect(grant).toMatchObject({
    caller: { id: "ada", name: claims.azp },
    scopes: expect.arrayContaining(["books:read"]),
  });
});
