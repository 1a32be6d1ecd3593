import { API_KEY_SETTINGS, apiKeyConfig } from "@openapi-operations/api-keys/settings";
import { securityConfig, securitySettings } from "@openapi-operations/api-keys/schemes";
import { readSettings, SERVICE_SETTINGS, serviceConfig } from "@openapi-operations/service/settings";
import { DATABASE_SETTINGS, databaseConfig } from "@openapi-operations/storage/settings";
import { SCHEMES } from "./security.ts";

export { SERVICE } from "./name.ts"; // the settings are named after the service

/** The settings, each with its validation, default and error message. Add those of the team here. */
export const SETTINGS = {
  ...SERVICE_SETTINGS,
  ...DATABASE_SETTINGS,
  ...API_KEY_SETTINGS,
  ...securitySettings(SCHEMES),
};

/** The validated settings of the service, with defaults applied. */
export type Config = ReturnType<typeof readConfig>;

/** Reads the settings from environment variables. Throws `ConfigError` if a setting is invalid. */
export function readConfig(env: NodeJS.ProcessEnv) {
  const data = readSettings(SETTINGS, env);
  return { ...serviceConfig(data), ...databaseConfig(data), ...apiKeyConfig(data), ...securityConfig(data) };
}
