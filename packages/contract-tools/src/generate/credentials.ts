import {
  type OpenApiDocument,
  type OperationEntry,
  operationsOf,
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

/** A credential for each kind of verifier. Schemes without one are left out of a request. */
export interface Secrets {
  apiKey?: string;
  token?: string;
  /** `user:password`. */
  basic?: string;
}

/** The credentials of a request. */
export interface Credentials {
  headers: Record<string, string>;
  query: Record<string, string>;
}

/** Returns the credentials that an operation requires: those of its first requirement for which there are secrets. */
export function credentialsOf(document: OpenApiDocument, entry: OperationEntry, secrets: Secrets): Credentials {
  const schemes = requiredSchemes(document, [entry]);
  const credentials: Credentials = { headers: {}, query: {} };
  const satisfied = requirementsOf(document, entry).find((requirement) =>
    Object.keys(requirement).every((name) => schemes.has(name) && secretFor(schemes.get(name)!, secrets) !== undefined),
  );
  for (const name of Object.keys(satisfied ?? {})) addCredential(credentials, schemes.get(name)!, secrets);
  return credentials;
}

/** Returns the operation of a document at a method and a path with its query; undefined if there is none. */
export function operationAt(document: OpenApiDocument, method: string, target: string): OperationEntry | undefined {
  const segments = target.replace(/\?.*$/s, "").split("/");
  const matching = operationsOf(document).filter((entry) => {
    const template = entry.path.split("/");
    const fits = template.every((part, at) => part.includes("{") || part === segments[at]);
    return entry.method.toUpperCase() === method && template.length === segments.length && fits;
  });
  return matching.toSorted((one, other) => one.path.split("{").length - other.path.split("{").length)[0];
}

function secretFor(scheme: SecurityScheme, secrets: Secrets): string | undefined {
  const verifier = verifierOf(scheme);
  return verifier === "none" ? undefined : secrets[verifier];
}

function addCredential({ headers, query }: Credentials, scheme: SecurityScheme, secrets: Secrets): void {
  const secret = secretFor(scheme, secrets)!;
  const { type, in: place, name = "" } = scheme;
  if (type === "apiKey" && place === "query") query[name] = secret;
  else if (type === "apiKey" && place === "cookie")
    headers["Cookie"] = [headers["Cookie"], `${name}=${secret}`].filter(Boolean).join("; ");
  else if (type === "apiKey") headers[name] = secret;
  else if (verifierOf(scheme) === "basic") headers["Authorization"] = `Basic ${Buffer.from(secret).toString("base64")}`;
  else headers["Authorization"] = `Bearer ${secret}`;
}
