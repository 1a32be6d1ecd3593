import { resolve } from "node:path";
import { withProgress } from "@platform/command-line";
import type { Command } from "commander";
import { backup } from "./backup.ts";
import { DatabaseError } from "../database-error.ts";
import { isPostgresUrl, pathOfFileUrl } from "../url.ts";
import type { AnyTables, Schema } from "../registration.ts";
import type { CarryOver, Loss } from "./carry-over.ts";
import { restore, type Restored } from "./restore.ts";

/** The settings of `backup` and `restore`. */
export interface BackupSettings extends Schema {
  /** Called when a command runs. */
  databaseUrl: () => string;
  carryOver: CarryOver;
}

/** Adds `backup` and `restore` to the command line. */
export function addBackupCommands(program: Command, { databaseUrl, ...options }: BackupSettings): void {
  const { migrations, tables, carryOver } = options;
  program
    .command("backup")
    .description("copy the database to a file, also while the service runs")
    .argument("<file>", "where the copy goes; it must not exist")
    .action(async (file: string) => {
      await withProgress((report) => backup(pathOfDatabase(databaseUrl()), resolve(file), migrations, report));
      console.log(`The database is backed up to ${file}.`);
    });
  program
    .command("restore")
    .description("put a backup in the place of the database, which is kept beside it; the service must be stopped")
    .argument("<file>", "a backup")
    .option("--force", `also replace a database that cannot be read, though ${carryOver.unread.risk}`)
    .action(async (file: string, { force }: { force?: true }) => {
      const restored = await withProgress((report) =>
        restore(pathOfDatabase(databaseUrl()), resolve(file), { ...options, force: force === true, report }),
      );
      for (const line of resultOf(file, restored, { tables, carryOver })) console.log(line);
    });
}

/** Returns the lines that `restore` prints: the restored file, the replaced database, and what was kept and lost. */
export function resultOf(
  file: string,
  { aside, carried }: Restored,
  { tables, carryOver }: Pick<BackupSettings, "tables" | "carryOver">,
): string[] {
  const first = `${file} is restored.${aside === undefined ? "" : ` The replaced file is now ${aside}.`}`;
  if (aside === undefined) return [first];
  if (carried === undefined) {
    return [
      first,
      `The replaced file could not be read. ${carryOver.unread.remedy} New rows may reuse ids of lost rows.`,
    ];
  }
  return [first, `${carried.summary} No id is reused.`, lossOf(carried.loss, tables)];
}

function lossOf({ rows, from, to }: Loss, tables: AnyTables): string {
  const lost = Object.entries(tables).flatMap(([name, { noun }]) => {
    const count = rows[name] ?? 0;
    return noun === undefined || count === 0 ? [] : [`${count} ${noun[count === 1 ? 0 : 1]}`];
  });
  if (lost.length === 0) return "Nothing was added since the backup.";
  const time = `${from === undefined ? "the start" : isoDate(from)} and ${isoDate(to ?? from ?? 0)}`;
  return `Lost, added between ${time}: ${lost.join(", ")}.`;
}

function isoDate(time: number): string {
  return new Date(time).toISOString();
}

function pathOfDatabase(url: string): string {
  if (isPostgresUrl(url)) {
    throw new DatabaseError("Backups are made of SQLite files. For PostgreSQL use its own tools, such as pg_dump.");
  }
  return resolve(pathOfFileUrl(url));
}
