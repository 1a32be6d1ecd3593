import { requirementsOf, type SecurityScheme, securityScheme } from "openapi-document";
import type { Change, Check, Checked, Expectation } from "./check-maker.ts";
import type { Credentials } from "./example-request.ts";
import { expectHeader } from "./exchange.ts";
import { UNKNOWN } from "./request-body.ts";

/**
 * Checks that credentials are validated before anything else, and rejected with a challenge (RFC 9110, section 15.5.2;
 * RFC 6750, section 3).
 */
export function authenticationChecks(operation: Checked): Check[] {
  const { document, entry, responds } = operation;
  const requirements = requirementsOf(document, entry);
  if (requirements.length === 0 || requirements.some((requirement) => Object.keys(requirement).length === 0)) return [];
  const alternatives = requirements.map((requirement) =>
    Object.keys(requirement).map((name) => securityScheme(document, name)!),
  );
  if (alternatives.flat().some(({ type }) => type === "mutualTLS")) return []; // TLS rejects the connection before HTTP
  const isBearer = alternatives.every((schemes) => schemes.length === 1 && isBearerScheme(schemes[0]!));
  const anonymous =
    (also: Change = () => {}): Change =>
    (request, target) => {
      request.credentials = {};
      also(request, target);
    };
  const invalid = invalidCredentials(alternatives[0]!);
  const isBodyRead = entry.operation.requestBody !== undefined && entry.method !== "get" && entry.method !== "head";
  const nonsense = { contentType: UNKNOWN, value: "nonsense" };
  const undeclared = { of: "no-such-parameter", text: "no-such-parameter=1" };
  const cases: [isDue: boolean, title: string, change: Change, error?: string][] = [
    [true, "without credentials", anonymous()],
    [true, "before the query is looked at", anonymous(({ query }) => query.push(undeclared))],
    [
      invalid !== undefined,
      "with credentials that are not valid",
      (own) => (own.credentials = invalid!),
      "invalid_token",
    ],
    [isBodyRead, "before the body is looked at", anonymous((request) => (request.body = nonsense))],
    [entry.method === "get", "without credentials for HEAD", anonymous((request) => (request.method = "HEAD"))],
  ];
  const checks = cases.flatMap(([isDue, title, change, error]) =>
    isDue ? responds([401], `401 ${title}`, change, expectChallenge(isBearer, error)) : [],
  );
  const needScopes = requirements.every((each) => Object.values(each).some((scopes) => scopes.length > 0));
  return needScopes ? [...checks, scopeCheck(operation, isBearer)] : checks;
}

function expectChallenge(isBearer: boolean, error?: string): Expectation {
  const pattern = error === undefined ? /\bBearer\b/i : new RegExp(`\\bBearer\\b.*\\berror="?${error}\\b`, "i");
  return (received) => expectHeader(received, "WWW-Authenticate", isBearer ? pattern : undefined);
}

/** Checks that valid credentials without the needed scopes are a 403 (RFC 6750, section 3.1). */
function scopeCheck({ entry, responds }: Checked, isBearer: boolean): Check {
  const expect = isBearer ? expectChallenge(isBearer, "insufficient_scope") : undefined;
  const change: Change = (request, { lesserCredentials }) => (request.credentials = lesserCredentials!(entry.id));
  const check = responds([403], "403 with credentials that lack the scopes", change, expect);
  const run: Check["run"] = (target) => (target.lesserCredentials ? check.run(target) : Promise.resolve());
  return { ...check, needs: "lesserCredentials", run };
}

function isBearerScheme({ type, scheme }: SecurityScheme): boolean {
  return type === "oauth2" || type === "openIdConnect" || (type === "http" && scheme?.toLowerCase() === "bearer");
}

/** Returns invalid credentials for the schemes, or undefined if one of them is of an unknown kind. */
function invalidCredentials(schemes: SecurityScheme[]): Credentials | undefined {
  const credentials = { headers: {} as Record<string, string>, query: {} as Record<string, string> };
  for (const scheme of schemes) {
    const { type, in: where, name = "" } = scheme;
    if (isBearerScheme(scheme)) credentials.headers["Authorization"] = "Bearer not-valid";
    else if (type === "http" && scheme.scheme?.toLowerCase() === "basic")
      credentials.headers["Authorization"] = `Basic ${btoa("not:valid")}`;
    else if (type !== "apiKey") return undefined;
    else if (where === "query") credentials.query[name] = "not-valid";
    else if (where === "cookie") credentials.headers["Cookie"] = `${name}=not-valid`;
    else credentials.headers[name] = "not-valid";
  }
  return credentials;
}
