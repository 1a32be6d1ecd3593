import { EVERY_SCOPE } from "./keys.repository.ts";

/**
 * Throws if a key could not have one of the scopes of a contract. A scope must be a token of RFC 6749, section 3.3. It must not
 * contain a comma, which separates scopes on the command line, and must not be `EVERY_SCOPE`.
 */
export function expectGrantable(scopes: readonly string[]): void {
  const wrong = scopes.find((scope) => scope === EVERY_SCOPE || !/^[!#-+\--[\]-~]+$/.test(scope));
  if (wrong === undefined) return;
  throw new Error(
    `No API key can have the scope ${JSON.stringify(wrong)}, which an operation of the contract requires. ` +
      'Name it in visible ASCII characters without a comma, a quotation mark or a backslash, and not "*".',
  );
}
