import { EVERY_SCOPE } from "./keys.repository.ts";

/**
 * Throws where a key could not have one of the scopes that a contract names: a scope is a token of RFC 6749, section 3.3, without
 * a comma, which separates scopes on the command line, and not `EVERY_SCOPE`.
 */
export function expectGrantable(scopes: readonly string[]): void {
  const wrong = scopes.find((scope) => scope === EVERY_SCOPE || !/^[!#-+\--[\]-~]+$/.test(scope));
  if (wrong === undefined) return;
  throw new Error(
    `No API key can have the scope ${JSON.stringify(wrong)}, which an operation of the contract requires. ` +
      'Name it in visible ASCII characters without a comma, a quotation mark or a backslash, and not "*".',
  );
}
