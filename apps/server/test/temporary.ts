import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@platform/storage/database";
import { migrate } from "@platform/storage/migrations";
import { openStorage } from "@platform/storage/open-storage";
import type { Schema } from "@platform/storage/registration";
import type { Storage } from "@platform/storage/storage";
import type { Kysely } from "kysely";
import { inject, onTestFinished, type TestContext } from "vitest";
import { MIGRATIONS } from "../src/migrations.ts";
import { TABLES, type Tables } from "../src/registrations.ts";
import { createDatabase } from "./postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A PostgreSQL server on which the tests make databases; without it they use SQLite. */
    postgresUrl?: string;
  }
}

/** A database of the service. */
export type Database = Kysely<Tables>;

/** What it holds. */
export const SCHEMA: Schema = { migrations: MIGRATIONS, tables: TABLES };

/** A folder that is gone after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "petstore-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** The same on a disk of its own of so many bytes; where none can be mounted the test says so, and does not run. */
export async function temporaryDisk(context: TestContext, bytes: number): Promise<string> {
  const folder = await temporaryFolder();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", folder], { stdio: "pipe" });
  } catch (error) {
    return context.skip(`no tmpfs can be mounted here: ${(error as Error).message.split("\n")[1]}`);
  }
  onTestFinished(() => void execFileSync("umount", ["--lazy", folder]));
  return folder;
}

/** The URL of a database with nothing in it: a file that does not exist yet, or one on the tests' PostgreSQL server. */
export async function temporaryUrl(): Promise<string> {
  const { url, drop } = await newDatabase();
  onTestFinished(drop);
  return url;
}

/** The same for those who drop it themselves. */
export async function newDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const server = inject("postgresUrl");
  if (server !== undefined) return createDatabase(server);
  const folder = await mkdtemp(join(tmpdir(), "petstore-"));
  return { url: `file:${folder}/petstore.db`, drop: () => rm(folder, { recursive: true }) };
}

/** A connection that is closed after the test. */
export function opened(url: string): Database {
  const db = openDatabase<Tables>(url);
  onTestFinished(() => db.destroy());
  return db;
}

/** A fresh database with every table. */
export async function temporaryDatabase(): Promise<Database> {
  const db = opened(await temporaryUrl());
  await migrate(db, MIGRATIONS);
  return db;
}

/** The storage of a service over a fresh database with every table. */
export async function temporaryStorage(onCommit?: (size: number) => void): Promise<Storage<Tables> & { url: string }> {
  const url = await temporaryUrl();
  await migrate(opened(url), MIGRATIONS);
  const storage = openStorage<Tables>(url, onCommit);
  onTestFinished(() => storage.destroy());
  return { ...storage, url };
}
