import { basename, dirname, join } from "node:path";
import { SERVICE } from "@openapi-operations/command-line/name";
import { ConfigError, type ServiceConfig } from "@openapi-operations/service/settings";
import type { Schema } from "@openapi-operations/storage/registration";
import type { databaseConfig } from "@openapi-operations/storage/settings";
import { hostUrlsOf, isPostgresUrl, pathOfFileUrl } from "@openapi-operations/storage/url";
import { z } from "zod";
import type { Schemes } from "./schemes.ts";

/** The setting that names a file with the first key. */
export const BOOTSTRAP_KEY_FILE = "SERVICE_BOOTSTRAP_KEY_FILE";

/** The settings of API keys, each with its validation and error message. */
export const API_KEY_SETTINGS = {
  [BOOTSTRAP_KEY_FILE]: z.string().optional(),
  RATE_LIMIT: rateLimit("RATE_LIMIT", "600/60").optional(),
  AUTH_FAILURE_LIMIT: rateLimit("AUTH_FAILURE_LIMIT", "20/60").optional(),
};

/** The validated settings of a service with a database and API keys. */
export type KeyedConfig = ServiceConfig & ReturnType<typeof databaseConfig> & ReturnType<typeof apiKeyConfig>;

/** A service with a database and API keys, as its commands need it. */
export interface KeyedService<Config extends KeyedConfig = KeyedConfig> {
  version: string;
  /** The scopes of the contract. */
  scopes: readonly string[];
  schema: Schema;
  /** How each security scheme is validated. */
  schemes: Schemes;
  /** Reads the settings. Called when a command runs. */
  readConfig: (env: NodeJS.ProcessEnv) => Config;
}

/** Returns validated environment variables as the settings of API keys. Throws `ConfigError` for replicas of a SQLite file. */
export function apiKeyConfig(
  data: z.infer<z.ZodObject<typeof API_KEY_SETTINGS>> & {
    DATABASE_URL: string;
    DATABASE_URL_READ?: string | undefined;
  },
) {
  if (data.DATABASE_URL_READ !== undefined && !isPostgresUrl(data.DATABASE_URL))
    throw new ConfigError(
      "DATABASE_URL_READ needs a PostgreSQL database in DATABASE_URL. A SQLite file has no replicas.",
    );
  return {
    /** The path of a file with the first key. */
    bootstrapKeyFile: data[BOOTSTRAP_KEY_FILE],
    /** The file with the quickstart key for development, in the folder of the database file, or in `data` for PostgreSQL. */
    quickstartFile: quickstartFile(data.DATABASE_URL),
    rateLimits: { perCaller: data.RATE_LIMIT, failuresPerAddress: data.AUTH_FAILURE_LIMIT },
  };
}

/** Returns the file with the key of tokens for development, beside the quickstart key. */
export function developmentKeyFile({ quickstartFile: file }: Pick<KeyedConfig, "quickstartFile">): string {
  return file.replace(/quickstart\.key$/, "token.key");
}

/** Returns a separate file for each database. The name has the first host and the database, except for the default file. */
function quickstartFile(databaseUrl: string): string {
  if (isPostgresUrl(databaseUrl)) {
    const { host, pathname } = new URL(hostUrlsOf(databaseUrl)[0]!);
    return join("data", `${[host.replace(":", "-"), pathname.slice(1)].filter(Boolean).join("-")}.quickstart.key`);
  }
  const path = pathOfFileUrl(databaseUrl);
  const file = basename(path) === `${SERVICE.name}.db` ? "quickstart.key" : `${basename(path)}.quickstart.key`;
  return join(dirname(path), file);
}

function rateLimit(name: string, example: string) {
  return z
    .string()
    .regex(
      /^[1-9]\d{0,6}\/[1-9]\d{0,4}$/,
      `${name} must be a number of requests, a slash and a number of seconds. Example: ${name}=${example}`,
    )
    .transform((text) => {
      const [requests = 0, seconds = 0] = text.split("/").map(Number);
      return { requests, seconds };
    });
}
