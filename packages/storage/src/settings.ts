import { isDuration, parseDuration } from "@openapi-operations/command-line";
import { SERVICE } from "@openapi-operations/command-line/name";
import { z } from "zod";
import { isDatabaseUrl, isPostgresUrl } from "./url.ts";

const CHECKPOINTS = ["automatic", "external"] as const;

/** The settings of the database by environment variable, each with its validation, default and error message. */
export const DATABASE_SETTINGS = {
  DATABASE_URL: z
    .string()
    .refine(isDatabaseUrl, {
      error: () =>
        `DATABASE_URL must be the path of a file after \`file:\`, or name a PostgreSQL database that accepts writes. Example: DATABASE_URL=file:data/${SERVICE.name}.db or DATABASE_URL=postgres://user:password@host:5432/${SERVICE.name}`,
    })
    .default(() => `file:data/${SERVICE.name}.db`),
  DATABASE_URL_READ: z
    .string()
    .refine((url) => isPostgresUrl(url) && isDatabaseUrl(url) && !url.includes("target_session_attrs"), {
      error: () =>
        `DATABASE_URL_READ must name replicas of the PostgreSQL database in DATABASE_URL. Example: DATABASE_URL_READ=postgres://user:password@one:5432,two:5432/${SERVICE.name}`,
    })
    .optional(),
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
};

/** Returns validated environment variables as the settings of the database. */
export function databaseConfig(data: z.infer<z.ZodObject<typeof DATABASE_SETTINGS>>) {
  return {
    databaseUrl: data.DATABASE_URL,
    /** The URL of the replicas of a PostgreSQL database; undefined if there are none. */
    replicasUrl: data.DATABASE_URL_READ,
    /** Which program moves SQLite's write-ahead log into the database file. */
    checkpoints: data.SQLITE_CHECKPOINTS,
    /** The folder of dated backups of SQLite, which `doctor` and the metrics examine; undefined if they examine none. */
    backupFolder: data.BACKUP_FOLDER,
    /** The age in milliseconds at which `doctor` reports the newest backup. */
    backupMaxAge: parseDuration(data.BACKUP_MAX_AGE),
  };
}
