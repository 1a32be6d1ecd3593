import { type SecurityScheme, type Verifier, verifierOf } from "@platform/contract-tools/credentials";

/** The security schemes of a contract. */
export interface Security {
  schemes: Map<string, SecurityScheme>;
}

/** Returns the kinds of verifiers that the schemes need, each once. */
export function verifiersOf({ schemes }: Security): Set<Verifier> {
  return new Set(Array.from(schemes.values(), verifierOf));
}

/** Returns the text of `security.ts`: the validation of each scheme, the settings it needs, and the message of a 401. */
export function securityFile(security: Security): string {
  const needed = verifiersOf(security);
  const [hasTokens, hasBasic] = [needed.has("token"), needed.has("basic")];
  const handlers: Record<Verifier, string> = {
    apiKey: "apiKey",
    token: "token",
    basic: "verifyPassword",
    none: "() => undefined",
  };
  const entries = Array.from(
    security.schemes,
    ([name, scheme]) => `    ${JSON.stringify(name)}: ${handlers[verifierOf(scheme)]},`,
  );
  return `import type { Authenticated } from "@platform/api-keys/authentication";
${hasTokens ? 'import { TOKEN_SETTINGS, type TokenConfig, tokenConfig } from "@platform/tokens/settings";\nimport { verifyToken } from "@platform/tokens/verify-token";\n' : ""}import type { SecurityHandler } from "express-operations";
import type { ${hasBasic ? "BasicCaller, " : ""}Caller } from "./resources/context.ts";

/** The settings of security schemes, by environment variable, beside those of API keys. */
export const SECURITY_SETTINGS = ${hasTokens ? "TOKEN_SETTINGS" : "{}"};

${hasTokens ? TOKEN_CONFIG : NO_CONFIG}
/** The message of a 401: how to send credentials. */
export const CREDENTIALS = ${JSON.stringify(credentialsSentence(security))};

/** Returns the validation of each security scheme of the contract. \`apiKey\` validates an API key of the service. */
export function securityHandlers(
  ${needed.has("apiKey") ? "apiKey" : "_apiKey"}: SecurityHandler<Authenticated["caller"]>,
  ${hasTokens ? "{ tokenIssuer }" : "_config"}: SecurityConfig,
): Record<string, SecurityHandler<Caller>> {
${hasTokens ? "  const token = verifyToken(tokenIssuer);\n" : ""}  return {
${entries.join("\n")}
  };
}
${hasBasic ? PASSWORD : ""}`;
}

const TOKEN_CONFIG = `/** The configuration of the security schemes. */
export type SecurityConfig = TokenConfig;

/** Returns validated environment variables as the configuration of the security schemes. */
export const securityConfig = tokenConfig;
`;

const NO_CONFIG = `/** The configuration of the security schemes, of which none needs any. */
export interface SecurityConfig {
  tokenIssuer?: never;
}

/** Returns validated environment variables as the configuration of the security schemes. */
export function securityConfig(_data: object): SecurityConfig {
  return {};
}
`;

const PASSWORD = `
/**
 * Validates \`user:password\` (RFC 7617). Write it: look the user up, compare the hash of the password, and return the caller. Until
 * then, every password is invalid.
 */
function verifyPassword(_credential: string): { caller: BasicCaller } | undefined {
  return undefined;
}
`;

/** Returns the text of `resources/context.ts`: the type of the caller and of a handler's input. */
export function contextFile(security: Security): string {
  const needed = verifiersOf(security);
  const callers = [
    ...(needed.has("apiKey") ? ['Authenticated["caller"]'] : []),
    ...(needed.has("token") ? ["TokenCaller"] : []),
    ...(needed.has("basic") ? ["BasicCaller"] : []),
  ];
  const imports = [
    ...(needed.has("apiKey") ? ['import type { Authenticated } from "@platform/api-keys/authentication";'] : []),
    'import type { Storage } from "@platform/storage/storage";',
    ...(needed.has("token") ? ['import type { TokenCaller } from "@platform/tokens/verify-token";'] : []),
  ];
  const basic = `/** A user who has sent name and password. */
export interface BasicCaller {
  id: string;
  name: string;
}

`;
  return `${imports.join("\n")}

${needed.has("basic") ? basic : ""}/** The owner of a request's credentials. */
export type Caller = ${callers.join(" | ") || "undefined"};

/** The input that every handler gets: the caller, and the storage with the tables of the handler. */
export interface Context<Tables = unknown> {
  caller: Caller;
  context: Storage<Tables>;
}
`;
}

/** Returns how to send credentials, as one sentence. */
export function credentialsSentence({ schemes }: Security): string {
  const ways = [...new Set(Array.from(schemes.values(), wayOf))];
  if (ways.length === 0) return "Valid credentials are required for this operation.";
  return `Valid credentials are required: ${ways.join(", or ")}.`;
}

function wayOf(scheme: SecurityScheme): string {
  const { type, in: place, name } = scheme;
  if (type === "apiKey") return `an API key in the ${place === "query" ? "query parameter" : place} ${name}`;
  switch (verifierOf(scheme)) {
    case "apiKey":
      return "an API key, sent as: Authorization: Bearer <API_KEY>";
    case "token":
      return "a token, sent as: Authorization: Bearer <TOKEN>";
    case "basic":
      return "a user name and a password, sent as: Authorization: Basic <BASE64>";
    case "none":
      return `credentials of the scheme ${scheme.scheme ?? type}`;
  }
}
