import { dirname, join } from "node:path";
import { ENVIRONMENTS, readSettings, SERVICE_SETTINGS, serviceConfig } from "@platform/service/settings";
import { isPostgresUrl, pathOfFileUrl } from "@platform/storage/url";
import { z } from "zod";
import { API_KEY_SETTINGS, apiKeyConfig } from "../../src/settings.ts";

export const SCOPES = ["things:read", "things:write"] as const;

/** The settings of the whole service by environment variable. */
const SETTINGS = z.object({
  ...SERVICE_SETTINGS,
  ...API_KEY_SETTINGS,
  DATABASE_URL: z.string().default("file:data/things.db"),
  THINGS_ENV: z.enum(ENVIRONMENTS).default("development"),
});

/** The settings of the whole service in tests. */
export type Config = ReturnType<typeof readConfig>;

/** Reads the settings. The quickstart key is beside the database file. */
export function readConfig(env: NodeJS.ProcessEnv) {
  const data = readSettings(SETTINGS, env);
  const folder = isPostgresUrl(data.DATABASE_URL) ? "data" : dirname(pathOfFileUrl(data.DATABASE_URL));
  return {
    ...serviceConfig(data),
    ...apiKeyConfig(data),
    databaseUrl: data.DATABASE_URL,
    environment: data.THINGS_ENV,
    quickstartFile: join(folder, "quickstart.key"),
  };
}
