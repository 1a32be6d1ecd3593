import { EVERY_SCOPE } from "./keys.repository.ts";

/**
 * Throws if one of the scopes cannot be given to a key. A scope must be a token of RFC 6749, section 3.3, and not
 * `EVERY_SCOPE`. It must not contain a comma, because commas separate scopes on the command line.
 */
export function expectValidScopes(scopes: readonly string[]): void {
  const wrong = scopes.find((scope) => scope === EVERY_SCOPE || !/^[!#-+\--[\]-~]+$/.test(scope));
  if (wrong === undefined) return;
  throw new Error(
    `No API key can have the scope ${JSON.stringify(wrong)}, which an operation of the contract requires. ` +
      'Name it in visible ASCII characters without a comma, a quotation mark or a backslash, and not "*".',
  );
}
