import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { type Kysely, sql } from "kysely";
import { inject, onTestFinished } from "vitest";
import { openDatabase, useAndClose } from "../database.ts";
import { migrate, type Migrations } from "../migrations.ts";
import { openStorage } from "../open-storage.ts";
import type { OnCommit, Storage } from "../storage.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The PostgreSQL server of the tests; without it, they use SQLite. */
    postgresUrl?: string;
  }
}

/** Creates an empty database: a file that does not exist yet, or one on the tests' PostgreSQL server. The caller drops it. */
export async function newDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const server = inject("postgresUrl");
  if (server !== undefined) {
    const name = `test_${randomUUID().replaceAll("-", "")}`;
    await execute(server, `create database ${name}`);
    const url = Object.assign(new URL(server), { pathname: name }).href;
    return { url, drop: () => execute(server, `drop database ${name} with (force)`) };
  }
  const folder = await mkdtemp(join(tmpdir(), "test-"));
  const drop = () =>
    rm(folder, { recursive: true }).catch((error: unknown) => {
      if (process.platform !== "win32") throw error; // there, a file that a test has not closed cannot be removed
    });
  return { url: `file:${folder}/test.db`, drop };
}

async function execute(url: string, statement: string): Promise<void> {
  await useAndClose(openDatabase<unknown>(url), (db) => sql.raw(statement).execute(db));
}

/** Returns the URL of an empty database, which is dropped after the test. */
export async function temporaryUrl(): Promise<string> {
  const { url, drop } = await newDatabase();
  onTestFinished(drop);
  return url;
}

/** A connection that is closed after the test. */
export function opened<Tables>(url: string): Kysely<Tables> {
  const db = openDatabase<Tables>(url);
  onTestFinished(() => db.destroy());
  return db;
}

/** Creates a migrated database and drops it after the test. */
export async function temporaryDatabase<Tables>(migrations: Migrations): Promise<Kysely<Tables>> {
  const db = opened<Tables>(await temporaryUrl());
  await migrate(db, migrations);
  return db;
}

/** Opens a storage on a migrated database and drops it after the test. */
export async function temporaryStorage<Tables>(
  migrations: Migrations,
  onCommit?: OnCommit,
): Promise<Storage<Tables> & { url: string }> {
  const url = await temporaryUrl();
  await migrate(opened(url), migrations);
  const storage = openStorage<Tables>(url, { onCommit });
  onTestFinished(() => storage.destroy());
  return { ...storage, url };
}

/** Opens a SQLite database in memory, runs the statements, and closes it after the test. */
export function memoryDatabase(...statements: string[]): Sqlite.Database {
  const file = new Sqlite(":memory:");
  onTestFinished(() => void file.close());
  return file.exec(statements.join(";\n"));
}
