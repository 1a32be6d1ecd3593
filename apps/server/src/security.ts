import type { Authenticated } from "@platform/api-keys/authentication";
import { ERRORS } from "@platform/service/errors";
import type { SecurityHandler } from "express-operations";
import type { Caller } from "./resources/context.ts";

/** The settings of security schemes, by environment variable, beside those of API keys. */
export const SECURITY_SETTINGS = {};

/** The configuration of the security schemes, of which API keys need none. */
export interface SecurityConfig {
  tokenIssuer?: never;
}

/** Returns validated environment variables as the configuration of the security schemes. */
export function securityConfig(_data: object): SecurityConfig {
  return {};
}

/** The message of a 401: how to send credentials. */
export const CREDENTIALS = ERRORS.unauthorized.message;

/** Returns the validation of each security scheme of the contract. `apiKey` validates an API key of the service. */
export function securityHandlers(
  apiKey: SecurityHandler<Authenticated["caller"]>,
  _config: SecurityConfig,
): Record<string, SecurityHandler<Caller>> {
  return { bearerAuth: apiKey };
}
