import type { Verifier } from "@platform/contract-tools/credentials";
import { type Security, verifiersOf } from "./security-files.ts";

/** The page that lists the settings and commands. */
export const SETTINGS_PAGE = "apps/server/docs/settings.md";

const TOKEN_ROWS = `| \`TOKEN_ISSUER\` | unset | the \`iss\` of valid tokens, an https URL; until it is set, each token gets 401 |
| \`TOKEN_AUDIENCE\` | unset | the \`aud\` of tokens for this service; required with an issuer |
| \`TOKEN_KEYS_URL\` | unset | URL of the issuer's public keys; unset: the \`jwks_uri\` of its OpenID Connect configuration |
`;

/** A caller, by the validation of its credentials. */
const CALLERS: Record<Verifier, string | undefined> = {
  apiKey: "API key",
  token: "subject of tokens",
  basic: "user",
  none: undefined,
};

/** Returns the page of the settings with those of the contract's security schemes. */
export function settingsPage(page: string, security: Security): string {
  const verifiers = verifiersOf(security);
  const callers = [...verifiers].flatMap((verifier) => CALLERS[verifier] ?? []);
  const of =
    callers.length === 0 ? "caller with credentials, of which the contract has none" : callers.join(" and each ");
  const changes: [before: RegExp, after: string][] = [
    [/requests\/seconds for each API key/, `requests/seconds for each ${of}`],
    [/with an invalid API key from one address/, "with invalid credentials from one address"],
    [/^\| `AUTH_FAILURE_LIMIT` .*\n/m, `$&${verifiers.has("token") ? TOKEN_ROWS : ""}`],
    ...(verifiers.has("apiKey") ? [] : ([[/^Create production keys with [^]*/m, NO_KEYS]] as [RegExp, string][])),
  ];
  return changes.reduce((text, [before, after]) => {
    if (text.search(before) === -1) throw new Error(`${SETTINGS_PAGE} does not contain ${String(before)}.`);
    return text.replace(before, after);
  }, page);
}

const NO_KEYS = `No operation of the contract accepts API keys. The quickstart key, \`keys\` and \`audit\` have no effect until one does.
`;
