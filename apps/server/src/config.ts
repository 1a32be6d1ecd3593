import { basename, dirname, join } from "node:path";
import { API_KEY_SETTINGS, apiKeyConfig } from "@platform/api-keys/settings";
import { isDuration, parseDuration } from "@platform/command-line";
import { NAME, SETTINGS_PREFIX } from "@platform/command-line/name";
import { ENVIRONMENTS, readSettings, SERVICE_SETTINGS, serviceConfig } from "@platform/service/settings";
import { hostUrlsOf, isDatabaseUrl, isPostgresUrl, NOT_A_DATABASE, pathOfFileUrl } from "@platform/storage/url";
import { z } from "zod";
import { SECURITY_SETTINGS, securityConfig } from "./security.ts";

const CHECKPOINTS = ["automatic", "external"] as const;

/** The setting of the environment. */
const ENVIRONMENT = `${SETTINGS_PREFIX}_ENV` as const;

/** The settings by environment variable, each with its validation, default and error message. */
export const Settings = z.object({
  ...SERVICE_SETTINGS,
  ...API_KEY_SETTINGS,
  ...SECURITY_SETTINGS,
  DATABASE_URL: z.string().refine(isDatabaseUrl, NOT_A_DATABASE).default(`file:data/${NAME}.db`),
  SQLITE_CHECKPOINTS: z
    .enum(
      CHECKPOINTS,
      `SQLITE_CHECKPOINTS must be one of ${CHECKPOINTS.join(", ")}. Example: SQLITE_CHECKPOINTS=external`,
    )
    .default("automatic"),
  BACKUP_FOLDER: z.string().optional(),
  BACKUP_MAX_AGE: z
    .string()
    .refine(isDuration, "BACKUP_MAX_AGE must be a whole number and one of s, m, h, d, w. Example: BACKUP_MAX_AGE=2h")
    .default("2h"),
  [ENVIRONMENT]: z
    .enum(ENVIRONMENTS, `${ENVIRONMENT} must be one of ${ENVIRONMENTS.join(", ")}. Example: ${ENVIRONMENT}=development`)
    .default("development"),
});

/** The validated settings of the service, with defaults applied. */
export type Config = ReturnType<typeof readConfig>;

/** Reads the settings from environment variables. Throws `ConfigError` if a setting is invalid. */
export function readConfig(env: NodeJS.ProcessEnv) {
  const data = readSettings(Settings, env);
  return {
    ...serviceConfig(data),
    ...apiKeyConfig(data),
    ...securityConfig(data),
    databaseUrl: data.DATABASE_URL,
    /** Which program moves SQLite's write-ahead log into the database file. */
    checkpoints: data.SQLITE_CHECKPOINTS,
    /** The folder of dated backups of SQLite, which `doctor` and the metrics examine; undefined if they examine none. */
    backupFolder: data.BACKUP_FOLDER,
    /** The age in milliseconds at which `doctor` reports the newest backup. */
    backupMaxAge: parseDuration(data.BACKUP_MAX_AGE),
    environment: data[ENVIRONMENT],
    /** The file with the quickstart key for development, in the folder of the database file, or in `data` for PostgreSQL. */
    quickstartFile: quickstartFile(data.DATABASE_URL),
  };
}

/** Returns a separate file for each database. The name has the first host and the database, except for the default file. */
function quickstartFile(databaseUrl: string): string {
  if (isPostgresUrl(databaseUrl)) {
    const { host, pathname } = new URL(hostUrlsOf(databaseUrl)[0]!);
    return join("data", `${[host.replace(":", "-"), pathname.slice(1)].filter(Boolean).join("-")}.quickstart.key`);
  }
  const path = pathOfFileUrl(databaseUrl);
  const file = basename(path) === `${NAME}.db` ? "quickstart.key" : `${basename(path)}.quickstart.key`;
  return join(dirname(path), file);
}
