import {
  type OpenApiDocument,
  type SecurityRequirement,
  type SecurityScheme,
  requirementsOf,
  securityScheme,
} from "openapi-document";
import type { Change, Check, Checked, Expectation } from "./check-maker.ts";
import type { Credentials } from "./example-request.ts";
import { expectHeader } from "./exchange.ts";

/**
 * Checks that credentials are validated before anything else, and rejected with a challenge (RFC 9110, section 15.5.2;
 * RFC 6750, section 3).
 */
export function authenticationChecks(operation: Checked): Check[] {
  const { document, entry, responds } = operation;
  const requirements = requirementsOf(document, entry);
  if (requirements.length === 0 || requirements.some((requirement) => Object.keys(requirement).length === 0)) return [];
  const alternatives = requirements.map((requirement) => schemesOf(document, requirement));
  if (alternatives.flat().some(({ type }) => type === "mutualTLS")) return []; // TLS rejects the connection before HTTP
  const isBearer = alternatives.every((schemes) => schemes.length === 1 && isBearerScheme(schemes[0]!));
  const challenge = (error?: string): Expectation => {
    const pattern = error === undefined ? /\bBearer\b/i : new RegExp(`\\bBearer\\b.*\\berror="?${error}\\b`, "i");
    return (received) => expectHeader(received, "WWW-Authenticate", isBearer ? pattern : undefined);
  };
  const anonymous = (title: string, also: Change = () => {}) => {
    const change: Change = (request, target) => {
      request.credentials = {};
      also(request, target);
    };
    return responds([401], title, change, challenge());
  };

  const checks = [
    anonymous("401 without credentials"),
    anonymous("401 before the query is looked at", (request) => {
      request.query.push({ of: "no-such-parameter", text: "no-such-parameter=1" });
    }),
  ];
  const invalid = invalidCredentials(alternatives[0]!);
  if (invalid !== undefined) {
    const change: Change = (request) => (request.credentials = invalid);
    checks.push(responds([401], "401 with credentials that are not valid", change, challenge("invalid_token")));
  }
  if (entry.operation.requestBody !== undefined && entry.method !== "get" && entry.method !== "head") {
    const change: Change = (request) => (request.body = { contentType: "application/x-unknown", value: "nonsense" });
    checks.push(anonymous("401 before the body is looked at", change));
  }
  if (entry.method === "get") {
    checks.push(anonymous("401 without credentials for HEAD", (request) => (request.method = "HEAD")));
  }
  if (requirements.every((requirement) => Object.values(requirement).some((scopes) => scopes.length > 0))) {
    checks.push(scopeCheck(operation, isBearer ? challenge("insufficient_scope") : () => {}));
  }
  return checks;
}

/** Checks that valid credentials without the needed scopes are a 403 (RFC 6750, section 3.1). */
function scopeCheck({ entry, responds }: Checked, expect: Expectation): Check {
  const change: Change = (request, { lesserCredentials }) => (request.credentials = lesserCredentials!(entry.id));
  const check = responds([403], "403 with credentials that lack the scopes", change, expect);
  const run: Check["run"] = (target) => (target.lesserCredentials ? check.run(target) : Promise.resolve());
  return { ...check, needs: "lesserCredentials", run };
}

function schemesOf(document: OpenApiDocument, requirement: SecurityRequirement): SecurityScheme[] {
  return Object.keys(requirement).map((name) => securityScheme(document, name)!);
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
