import {
  type OpenApiDocument,
  type OperationEntry,
  requirementsOf,
  resolve,
  type SecurityScheme,
} from "openapi-document";

export type { SecurityScheme };

/** The kind of credential that the service validates: its own API keys, tokens of an issuer, passwords, or none yet. */
export type Verifier = "apiKey" | "token" | "basic" | "none";

/** Returns the security schemes that operations of a document require, by name. */
export function requiredSchemes(document: OpenApiDocument, entries: OperationEntry[]): Map<string, SecurityScheme> {
  const names = entries.flatMap((entry) => requirementsOf(document, entry).flatMap((each) => Object.keys(each)));
  const { securitySchemes = {} } = (document.components ?? {}) as { securitySchemes?: Record<string, SecurityScheme> };
  const declared = [...new Set(names)].filter((name) => Object.hasOwn(securitySchemes, name));
  return new Map(declared.map((name) => [name, resolve<SecurityScheme>(document, securitySchemes[name]!)]));
}

/**
 * Returns the verifier of a scheme. Bearer tokens with a `bearerFormat` of JWT, OAuth 2 and OpenID Connect have tokens of an
 * issuer. Other bearer tokens are API keys of the service, as are `apiKey` schemes.
 */
export function verifierOf({ type, scheme = "", bearerFormat = "" }: SecurityScheme): Verifier {
  if (type === "apiKey") return "apiKey";
  if (type === "oauth2" || type === "openIdConnect") return "token";
  if (type !== "http") return "none";
  if (/^bearer$/i.test(scheme)) return /jwt|jws/i.test(bearerFormat) ? "token" : "apiKey";
  return /^basic$/i.test(scheme) ? "basic" : "none";
}
