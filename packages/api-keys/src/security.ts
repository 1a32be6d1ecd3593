import { ERRORS } from "@openapi-operations/service/errors";
import { type ErrorFormat, problem } from "@openapi-operations/service/problems";
import type { Environment } from "@openapi-operations/service/settings";
import type { TokenConfig } from "@openapi-operations/service/token-settings";
import type { Storage } from "@openapi-operations/storage/storage";
import type { SecurityHandler } from "express-operations";
import { declaredErrors } from "express-operations/declared-errors";
import { type OpenApiDocument, type SecurityScheme, securityScheme } from "openapi-document";
import { authentication, type KeyUses } from "./authentication.ts";
import type { ApiKeysTables } from "./keys.table.ts";
import { type LimitedSecurity, type RateLimits, withRateLimits } from "./rate-limits.ts";
import { developmentKeyFile } from "./settings.ts";
import { type CallerOf, hasTokens, type Schemes } from "./schemes.ts";

/** What the validation of credentials depends on. */
interface SecurityContext extends Partial<TokenConfig> {
  storage: Pick<Storage<ApiKeysTables>, "db">;
  keyUses: KeyUses;
  environment: Environment;
  quickstartFile: string;
  rateLimits: RateLimits;
}

/**
 * Returns the options of `implement` that validate credentials, with rate limits. Schemes with the same kind of credentials have the
 * same function. The code that validates tokens is loaded only if a scheme has them. In development, while no issuer is set,
 * those of the command `token` are valid.
 */
export async function securityOptions<Given extends Schemes>(
  document: OpenApiDocument,
  schemes: Given,
  context: SecurityContext,
): Promise<LimitedSecurity<CallerOf<Given>>> {
  const { storage, keyUses, environment, rateLimits } = context;
  const apiKey = authentication(storage.db, keyUses, environment);
  const token = hasTokens(schemes) ? await tokenValidation(context) : undefined;
  const validations = Object.entries(schemes).map(([name, validation]) => [
    name,
    typeof validation === "string" ? { apiKey, token }[validation] : validation,
  ]);
  const security = Object.fromEntries(validations) as Record<string, SecurityHandler<CallerOf<Given>>>; // the compiler cannot read entries
  const guessable = Object.keys(schemes).filter((name) => isBasic(securityScheme(document, name)));
  return withRateLimits(rateLimits, storage.db, security, guessable);
}

async function tokenValidation({ tokenIssuer, environment, quickstartFile }: SecurityContext) {
  const { verifyToken } = await import("@openapi-operations/service/verify-token");
  if (tokenIssuer !== undefined || environment !== "development") return verifyToken(tokenIssuer);
  const { developmentIssuer } = await import("@openapi-operations/service/development-tokens");
  return verifyToken(developmentIssuer(developmentKeyFile({ quickstartFile })));
}

/** Whether credentials are a user name and a password (RFC 7617), which an attacker can guess. */
function isBasic({ type, scheme = "" }: SecurityScheme = { type: "" }): boolean {
  return type === "http" && scheme.toLowerCase() === "basic";
}

/** Writes errors as the document declares them. Each 401 has the same message, whatever is wrong with the credentials. */
export function declaredErrorFormat(document: OpenApiDocument, schemes: Schemes): ErrorFormat {
  const declared = declaredErrors(document);
  const unauthorized = problem("unauthorized", undefined, credentialsSentence(document, schemes));
  return (sent, context) => declared(sent.status === 401 ? unauthorized : sent, context);
}

/** Returns the message of a 401: how to send credentials. */
export function credentialsSentence(document: OpenApiDocument, schemes: Schemes): string {
  const ways = Object.entries(schemes).map(([name, validation]) =>
    wayOf(securityScheme(document, name) ?? { type: name }, validation),
  );
  const [way, ...others] = new Set(ways);
  if (way === undefined) return "Valid credentials are required for this operation.";
  if (way === KEY_AS_BEARER && others.length === 0) return ERRORS.unauthorized.message;
  return `Valid credentials are required: ${[way, ...others].join(", or ")}.`;
}

const KEY_AS_BEARER = "an API key, sent as: Authorization: Bearer <API_KEY>";

function wayOf(scheme: SecurityScheme, validation: Schemes[string]): string {
  const { type, in: place, name } = scheme;
  if (type === "apiKey") return `an API key in the ${place === "query" ? "query parameter" : place} ${name}`;
  if (isBasic(scheme)) return "a user name and a password, sent as: Authorization: Basic <BASE64>";
  if (validation === "apiKey") return KEY_AS_BEARER;
  if (validation === "token") return "a token, sent as: Authorization: Bearer <TOKEN>";
  return `credentials of the scheme ${scheme.scheme ?? type}`;
}
