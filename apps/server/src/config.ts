import { isIP } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const ENVIRONMENTS = ["development", "staging", "production"] as const;
const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

const hostname = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i;
const decimal = /^(0|[1-9]\d{0,4})$/;

const NOT_A_DATABASE =
  "DATABASE_URL must be the path of a file after `file:`, or name a PostgreSQL database. Set it so: DATABASE_URL=file:data/petstore.db or DATABASE_URL=postgres://user:password@host:5432/petstore";

/** The settings by the names of their environment variables: what is allowed, the default, and what to say otherwise. */
const Settings = z.object({
  HOST: z
    .string()
    .refine(
      (host) => isIP(host) !== 0 || hostname.test(host),
      "HOST must be an IP address or a host name. Set it so: HOST=127.0.0.1",
    )
    .default("127.0.0.1"),
  PORT: z
    .string()
    .refine(
      (port) => decimal.test(port) && Number(port) <= 65535,
      "PORT must be a whole number from 0 to 65535. Set it so: PORT=3000",
    )
    .transform(Number)
    .default(3000),
  DATABASE_URL: z
    .string()
    .refine((url) => (isPostgresUrl(url) ? namesDatabase(url) : isFileUrl(url)), NOT_A_DATABASE)
    .default("file:data/petstore.db"),
  PETSTORE_ENV: z
    .enum(ENVIRONMENTS, `PETSTORE_ENV must be one of ${ENVIRONMENTS.join(", ")}. Set it so: PETSTORE_ENV=development`)
    .default("development"),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, `LOG_LEVEL must be one of ${LOG_LEVELS.join(", ")}. Set it so: LOG_LEVEL=info`)
    .default("info"),
});

/** What the service is started with: every setting checked, every default applied. */
export interface Config {
  host: string;
  port: number;
  databaseUrl: string;
  environment: (typeof ENVIRONMENTS)[number];
  logLevel: (typeof LOG_LEVELS)[number];
  /** Where development keeps a key for trying things out: beside the database file, or in `data`. */
  quickstartFile: string;
}

/** A setting that keeps the program from starting; the message is one line for each, naming it and what to do. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

/** The settings in `env`, an empty one counting as unset; throws `ConfigError` and never repeats a bad value, which may be a secret. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const set = Object.entries(env).flatMap(([name, value]) => (value?.trim() ? [[name, value.trim()]] : []));
  const { data, error } = Settings.safeParse(Object.fromEntries(set));
  if (error !== undefined) throw new ConfigError(error.issues.map((issue) => issue.message).join("\n"));
  return {
    host: data.HOST,
    port: data.PORT,
    databaseUrl: data.DATABASE_URL,
    environment: data.PETSTORE_ENV,
    logLevel: data.LOG_LEVEL,
    quickstartFile: join(folderOf(data.DATABASE_URL), "quickstart.key"),
  };
}

/** The path that a `file:` URL names; one without slashes after the colon is relative to the working directory. */
export function pathOfFileUrl(url: string): string {
  return url.startsWith("file://") ? fileURLToPath(url) : url.slice("file:".length);
}

/** Whether the URL is one of PostgreSQL, by its scheme: `postgres:` or `postgresql:`. */
export function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:/i.test(url);
}

function folderOf(databaseUrl: string): string {
  return isPostgresUrl(databaseUrl) ? "data" : dirname(pathOfFileUrl(databaseUrl));
}

/** The server itself may be left to the URL's parameters, such as `?host=/run/postgresql`. */
function namesDatabase(url: string): boolean {
  return /^\/[^/]+$/.test(URL.parse(url)?.pathname ?? "");
}

function isFileUrl(url: string): boolean {
  if (!/^file:[^?#]+$/.test(url)) return false;
  try {
    return !/^$|^:memory:$|[/\\]$/.test(pathOfFileUrl(url));
  } catch {
    return false;
  }
}
