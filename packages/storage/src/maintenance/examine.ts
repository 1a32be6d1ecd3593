import { existsSync, statfsSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { SERVICE } from "@openapi-operations/command-line/name";
import Sqlite from "better-sqlite3";
import { Kysely, sql, SqliteDialect } from "kysely";
import { isDatabaseUnavailable } from "../database-error.ts";
import { openDatabase } from "../database.ts";
import { type AppliedMigration, appliedMigrations, findNewer, type Migrations, servedSince } from "../migrations.ts";
import { examineReplicas as examineHosts } from "../postgres/replicas.ts";
import type { Schema } from "../registration.ts";
import { hostUrlsOf, isPostgresUrl, pathOfFileUrl } from "../url.ts";
import { type DatedBackup, newestBackup, verifyBackup } from "./backup-folder.ts";

/** The allowed values of PostgreSQL settings, and what to do about others. */
type RequiredSettings = Record<string, { allowed: RegExp; otherwise: string }>;

const REQUIRED_SETTINGS: RequiredSettings = {
  server_encoding: { allowed: /^UTF8$/, otherwise: "Create the database again, with the encoding UTF8." },
  fsync: { allowed: /^on$/, otherwise: "Turn fsync on, or acknowledged writes may be lost." },
  synchronous_commit: {
    allowed: /^(?!off)/,
    otherwise: "Turn synchronous_commit on, or acknowledged writes may be lost.",
  },
};
/** Required as well where `DATABASE_URL` names several hosts. */
const REQUIRED_FOR_FAILOVER: RequiredSettings = {
  synchronous_standby_names: {
    allowed: /./,
    otherwise: "Name a standby in synchronous_standby_names, or acknowledged writes may be lost in a failover.",
  },
};

/** The result of one check, with a remedy if something is wrong. */
export interface Finding {
  found: string;
  remedy?: string;
}

const MIB = 2 ** 20;
const MIN_FREE = 100 * MIB;
/** The findings about a database. `migrations` is set if the database can be read, `disk` if it is a SQLite file. */
export interface Examination {
  database: Finding;
  migrations?: Finding;
  disk?: Finding;
}

/** Examines a database, its migrations and its disk without changing anything. The database may not exist yet. */
export async function examineDatabase(url: string, migrations: Migrations): Promise<Examination> {
  if (isPostgresUrl(url)) return examinePostgres(url, migrations);
  const path = resolve(pathOfFileUrl(url));
  const disk = examineDisk(path);
  return {
    ...(existsSync(path) ? await examineFile(path, migrations, disk) : { database: examineAbsence(path) }),
    disk,
  };
}

function examineAbsence(path: string): Finding {
  if (!existsSync(`${path}-wal`)) return { found: `none yet at ${path}` };
  const remedy = `Put it back; if it is lost, stop the service and run \`${SERVICE.name} restore <backup>\`.`;
  return { found: `none at ${path}, though its log is there: it was moved or removed`, remedy };
}

async function examineFile(path: string, migrations: Migrations, disk: Finding): Promise<Examination> {
  let file: Sqlite.Database | undefined;
  try {
    file = new Sqlite(path, { readonly: true, fileMustExist: true });
    const result = file.pragma("quick_check", { simple: true });
    if (result !== "ok") throw new Error(String(result));
    const sqlite = file.prepare("select sqlite_version()").pluck().get();
    const applied = await appliedMigrations(new Kysely({ dialect: new SqliteDialect({ database: file }) }));
    const database: Finding = { found: `${path} is intact, SQLite ${String(sqlite)}` };
    if (process.getuid !== undefined && (statSync(path).mode & 0o077) !== 0) {
      database.found += ", but users other than its owner may read it";
      database.remedy = `Run: chmod 600 ${path}`;
    }
    return { database, migrations: examineMigrations(applied, migrations) };
  } catch (error) {
    const found = `${path} cannot be used (${(error as Error).message})`;
    const mayBeFullDisk = /^SQLITE_(CANTOPEN|FULL|IOERR)/.test((error as { code?: string }).code ?? "");
    const remedy =
      (mayBeFullDisk && disk.remedy) ||
      `Make sure that this user may read and write it; if it is damaged, stop the service and run \`${SERVICE.name} restore <backup>\`.`;
    return { database: { found, remedy } };
  } finally {
    file?.close();
  }
}

/** Examines a PostgreSQL database, except its disk, which may be on another machine. */
async function examinePostgres(url: string, migrations: Migrations): Promise<Examination> {
  const db = openDatabase(url);
  try {
    const required = { ...REQUIRED_SETTINGS, ...(hostUrlsOf(url).length > 1 && REQUIRED_FOR_FAILOVER) };
    const names = ["server_version", ...Object.keys(required)];
    const { rows } = await sql<{ name: string; setting: string }>`
      select name, setting from pg_settings where name in (${sql.join(names)})`.execute(db);
    const settings = Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
    const wrong = Object.entries(required).filter(([name, { allowed }]) => !allowed.test(settings[name] ?? ""));
    const found = `PostgreSQL ${settings["server_version"]}`;
    const database: Finding = { found };
    if (wrong.length > 0) {
      database.found += ` with ${wrong.map(([name]) => `${name} ${settings[name] || "empty"}`).join(", ")}`;
      database.remedy = wrong.map(([, { otherwise }]) => otherwise).join(" ");
    }
    return { database, migrations: examineMigrations(await appliedMigrations(db), migrations) };
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    return { database: { found: "cannot be used", remedy: (error as Error).message } };
  } finally {
    await db.destroy();
  }
}

/** Examines each replica of a PostgreSQL database. One of them may be the primary since a failover. */
export async function examineReplicas(url: string, replicasUrl: string): Promise<Finding[]> {
  return (await examineHosts(url, replicasUrl)).map(({ host, isPrimary, fault }): Finding => {
    if (fault === undefined) return { found: `${host} is ${isPrimary ? "the primary" : "at most a second behind"}` };
    const remedy = "Let DATABASE_URL_READ name running replicas of the database. Until then the primary is read.";
    return { found: `${host} is not used for reads (${fault})`, remedy };
  });
}

function examineMigrations(applied: AppliedMigration[], migrations: Migrations): Finding {
  const newer = findNewer(applied, migrations);
  if (newer !== undefined) {
    const names = newer.names.join(", ");
    if (newer.obstacle === undefined)
      return { found: `all applied, and later ones that this program can serve: ${names}` };
    return { found: `unknown to this program: ${names}`, remedy: newer.obstacle };
  }
  const names = new Set(applied.map(({ name }) => name));
  const pending = Object.keys(migrations).filter((name) => !names.has(name));
  if (pending.length === 0) return { found: "all applied" };
  const found = `to be applied: ${pending.join(", ")}`;
  const since = servedSince(pending, migrations);
  const canOthersServe = since === undefined || names.has(since);
  const migrating = `\`${SERVICE.name} migrate\`, or start the service, which does the same.`;
  if (canOthersServe) return { found, remedy: `Run ${migrating}` };
  return {
    found,
    remedy: `Stop the processes of versions before ${since}, which cannot serve afterwards. Then run ${migrating}`,
  };
}

/** Checks the free space, because a backup and a restore need room for a second copy of the database. */
function examineDisk(path: string): Finding {
  let folder = dirname(path);
  while (!existsSync(folder)) folder = dirname(folder);
  const { bavail, bsize } = statfsSync(folder);
  const needed = MIN_FREE + (existsSync(path) ? statSync(path).size : 0);
  const found = `${Math.floor((bavail * bsize) / MIB)} MiB free at ${folder}`;
  if (bavail * bsize >= needed) return { found };
  return { found, remedy: `Free some space: at least ${Math.ceil(needed / MIB)} MiB are needed.` };
}

/** The size of a log that nothing moves into the file. Litestream moves it by 500 MB, even if writes have to wait. */
const TOO_LARGE = 1_024 * MIB;

/** Reports the size of the write-ahead log of a file whose log only another program moves into the file. */
export function examineLog(database: string): Finding {
  const bytes = statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const found = `${Math.ceil(bytes / MIB)} MiB that another program moves into the database`;
  if (bytes < TOO_LARGE) return { found };
  return {
    found,
    remedy: "Make sure that this program, such as Litestream, is running. Otherwise the log fills the disk.",
  };
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Verifies the newest backup in a folder. Reports a backup that is unusable or at least as old as `maxAge` milliseconds. */
export function examineBackups(folder: string, maxAge: number, schema: Schema): Finding {
  const remedy = `Make sure that \`${SERVICE.name} backup --every\` is running, and read its output.`;
  let newest: DatedBackup | undefined;
  try {
    newest = newestBackup(folder, Date.now());
  } catch (error) {
    return { found: `${folder} cannot be read (${(error as Error).message})`, remedy };
  }
  if (newest === undefined) return { found: `none in ${folder}`, remedy };
  const name = basename(newest.path);
  try {
    verifyBackup(newest.path, schema);
  } catch (error) {
    const found = `the newest, ${name}, is unusable (${(error as Error).message})`;
    return { found, remedy: `Make another with \`${SERVICE.name} backup\`, and check the disk.` };
  }
  const age = Date.now() - newest.time;
  const found = `the newest, ${name}, is intact and ${durationOf(age)} old`;
  return age < maxAge ? { found } : { found, remedy };
}

function durationOf(milliseconds: number): string {
  return milliseconds < 2 * HOUR ? `${Math.floor(milliseconds / MINUTE)} min` : `${Math.floor(milliseconds / HOUR)} h`;
}
