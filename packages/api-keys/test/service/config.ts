import { nameService } from "@openapi-operations/command-line/name";
import { readSettings, SERVICE_SETTINGS, serviceConfig } from "@openapi-operations/service/settings";
import { DATABASE_SETTINGS, databaseConfig } from "@openapi-operations/storage/settings";
import { API_KEY_SETTINGS, apiKeyConfig } from "../../src/settings.ts";

nameService({ name: "things" });

export const SCOPES = ["things:read", "things:write"] as const;

/** The settings of the whole service in tests. */
export type Config = ReturnType<typeof readConfig>;

/** Reads the settings of the whole service. */
export function readConfig(env: NodeJS.ProcessEnv) {
  const data = readSettings({ ...SERVICE_SETTINGS, ...API_KEY_SETTINGS, ...DATABASE_SETTINGS }, env);
  return { ...serviceConfig(data), ...apiKeyConfig(data), ...databaseConfig(data) };
}
