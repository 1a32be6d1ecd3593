import { once } from "node:events";
import { existsSync, statfsSync, statSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { dirname, resolve } from "node:path";
import { json } from "node:stream/consumers";
import { version } from "@petstore/contract";
import { get } from "@platform/service/node-http";
import { ConfigError } from "@platform/service/settings";
import { openDatabase } from "@platform/storage/database";
import { isDatabaseUnavailable } from "@platform/storage/database-error";
import { appliedMigrations } from "@platform/storage/migrations";
import { isPostgresUrl, pathOfFileUrl } from "@platform/storage/url";
import Sqlite from "better-sqlite3";
import { sql } from "kysely";
import { type Config, readConfig } from "../config.ts";
import { MIGRATIONS } from "../migrations.ts";

/** What a PostgreSQL server has to be set to; all but `off` syncs each commit to disk before it is acknowledged. */
const NEEDED_OF_POSTGRES = { server_encoding: /^UTF8$/, fsync: /^on$/, synchronous_commit: /^(?!off)/ };

/** One thing looked at: what was found and, where that is not as it should be, what to do. */
export interface Finding {
  check: "settings" | "versions" | "service" | "database" | "migrations" | "disk";
  found: string;
  remedy?: string;
}

const MIB = 2 ** 20;
const LEAST_FREE = 100 * MIB;
/** How long the service may take to say whether it is ready; it gives its database a second. */
const DEADLINE_MS = 3_000;

/** Looks at everything the service needs, and changes no data. */
export async function examine(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const versions = `petstore ${version}, Node ${process.versions.node}`;
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const wrong = error.message.split("\n").map((remedy): Finding => ({ check: "settings", found: "wrong", remedy }));
    return [...wrong, { check: "versions", found: versions }];
  }
  const known: Finding[] = [
    { check: "settings", found: `${config.environment}, to listen on ${config.host}:${config.port}` },
    { check: "versions", found: versions },
    await examineService(config),
  ];
  if (isPostgresUrl(config.databaseUrl)) return [...known, ...(await examinePostgres(config.databaseUrl))];
  const path = resolve(pathOfFileUrl(config.databaseUrl));
  const disk = examineDisk(path);
  return [...known, ...(existsSync(path) ? examineDatabase(path, disk) : [examineAbsence(path)]), disk];
}

/** Asks the service itself, which alone knows what it has open. */
async function examineService({ host, port }: Config): Promise<Finding> {
  const address = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  try {
    const { status, message } = (await readJson(`http://${address}/readyz`)) as { status?: unknown; message?: string };
    if (status === "ok") return { check: "service", found: `ready at ${address}` };
    const remedy =
      "Its log says more. If the database file or its log was moved, removed or replaced, put it back, or stop the service and start it again.";
    return { check: "service", found: `not ready at ${address}: ${message}`, remedy };
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    if (code === "ECONNREFUSED") return { check: "service", found: `not running at ${address}` };
    if (name === "SyntaxError")
      return { check: "service", found: `another program at ${address}`, remedy: "End it, or set PORT to a free one." };
    return { check: "service", found: `no answer from ${address}`, remedy: "Stop the service, and start it again." };
  }
}

/** Not by `fetch`, which refuses some ports that the service may have: https://fetch.spec.whatwg.org/#port-blocking */
async function readJson(url: string): Promise<unknown> {
  const asked = get(url, { agent: false, signal: AbortSignal.timeout(DEADLINE_MS) });
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  return json(answer);
}

function examineAbsence(path: string): Finding {
  if (!existsSync(`${path}-wal`)) return { check: "database", found: `none yet at ${path}` };
  const remedy = "Put it back; if it is lost, stop the service and run `petstore restore <backup>`.";
  return { check: "database", found: `none at ${path}, though its log is there: it was moved or removed`, remedy };
}

function examineDatabase(path: string, disk: Finding): Finding[] {
  let file: Sqlite.Database | undefined;
  try {
    file = new Sqlite(path, { readonly: true, fileMustExist: true });
    const verdict = file.pragma("quick_check", { simple: true });
    if (verdict !== "ok") throw new Error(String(verdict));
    const sqlite = file.prepare("select sqlite_version()").pluck().get();
    const isMigrated = file.prepare("select 1 from sqlite_master where name = 'kysely_migration'").get() !== undefined;
    const applied = isMigrated ? (file.prepare("select name from kysely_migration").pluck().all() as string[]) : [];
    const database: Finding = { check: "database", found: `${path} is whole, SQLite ${String(sqlite)}` };
    if (process.getuid !== undefined && (statSync(path).mode & 0o077) !== 0) {
      database.found += ", and others than its owner may read it";
      database.remedy = `Run: chmod 600 ${path}`;
    }
    return [database, examineMigrations(applied)];
  } catch (error) {
    const found = `${path} cannot be used (${(error as Error).message})`;
    const isForRoom = /^SQLITE_(CANTOPEN|FULL|IOERR)/.test((error as { code?: string }).code ?? "");
    const remedy =
      (isForRoom && disk.remedy) ||
      "See that this user may read and write it; if it is damaged, stop the service and run `petstore restore <backup>`.";
    return [{ check: "database", found, remedy }];
  } finally {
    file?.close();
  }
}

/** The server's disk is for the server's own tools. */
async function examinePostgres(url: string): Promise<Finding[]> {
  const db = openDatabase(url);
  try {
    const { rows } = await sql<{ name: string; setting: string }>`
      select name, setting from pg_settings
      where name in ('server_version', 'server_encoding', 'fsync', 'synchronous_commit')`.execute(db);
    const settings = Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
    const wrong = Object.entries(NEEDED_OF_POSTGRES).filter(([name, allowed]) => !allowed.test(settings[name] ?? ""));
    const found = `PostgreSQL ${settings["server_version"]}`;
    const database: Finding = { check: "database", found };
    if (wrong.length > 0) {
      database.found += ` with ${wrong.map(([name]) => `${name} ${settings[name]}`).join(", ")}`;
      database.remedy =
        "Encode the database in UTF8, and leave fsync and synchronous_commit on, or what is acknowledged may be lost.";
    }
    return [database, examineMigrations(await appliedMigrations(db))];
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    return [{ check: "database", found: "cannot be used", remedy: (error as Error).message }];
  } finally {
    await db.destroy();
  }
}

function examineMigrations(applied: string[]): Finding {
  const newer = applied.filter((name) => !Object.hasOwn(MIGRATIONS, name));
  if (newer.length > 0) {
    const remedy = "Run the version that made the database, or a later one.";
    return { check: "migrations", found: `unknown to this program: ${newer.join(", ")}`, remedy };
  }
  const pending = Object.keys(MIGRATIONS).filter((name) => !applied.includes(name));
  if (pending.length === 0) return { check: "migrations", found: "all applied" };
  const remedy = "Run `petstore migrate`, or start the service, which does the same.";
  return { check: "migrations", found: `to be applied: ${pending.join(", ")}`, remedy };
}

/** A backup and a restore need room for a second copy of the database. */
function examineDisk(path: string): Finding {
  let folder = dirname(path);
  while (!existsSync(folder)) folder = dirname(folder);
  const { bavail, bsize } = statfsSync(folder);
  const needed = LEAST_FREE + (existsSync(path) ? statSync(path).size : 0);
  const found = `${Math.floor((bavail * bsize) / MIB)} MiB free at ${folder}`;
  if (bavail * bsize >= needed) return { check: "disk", found };
  return { check: "disk", found, remedy: `Make room: at least ${Math.ceil(needed / MIB)} MiB are needed.` };
}
