import { dirname, join, resolve } from "node:path";
import { isoDate, parseTime, wholeNumber, withProgress } from "@openapi-operations/command-line";
import type { Command } from "commander";
import { backup } from "./backup.ts";
import { DatabaseError } from "../database-error.ts";
import { isPostgresUrl, pathOfFileUrl } from "../url.ts";
import type { AnyTables, Schema } from "../registration.ts";
import type { KeptData, Loss } from "./kept-data.ts";
import {
  addBackupsCommand,
  backupAt,
  type BackupLocation,
  type DatedOptions,
  makeDatedBackups,
  parseInterval,
} from "./dated-backups.commands.ts";
import { nounsOf } from "./backup-folder.ts";
import { restore, type Restored } from "./restore.ts";

/** The settings of `backup` and `restore`. */
export interface BackupSettings extends Schema {
  /** Called when a command runs. */
  databaseUrl: () => string;
  /** The folder of dated backups; default: `backups` beside the database. Called when a command runs. */
  backupFolder: () => string | undefined;
  keptData: KeptData;
}

/** Adds `backup`, `backups` and `restore` to the command line. */
export function addBackupCommands(program: Command, { databaseUrl, backupFolder, ...options }: BackupSettings): void {
  const { migrations, tables, keptData } = options;
  const located = (): BackupLocation => {
    const database = pathOfDatabase(databaseUrl());
    return { database, folder: resolve(backupFolder() ?? join(dirname(database), "backups")), schema: options };
  };
  const backupCommand = program
    .command("backup")
    .description("copy the database, even while the service runs, to a file or as a dated backup")
    .argument("[file]", "where the copy goes; it must not exist (default: a dated file in BACKUP_FOLDER)")
    .option("--every <duration>", "make a dated backup at this interval, such as 1h", parseInterval)
    .option("--keep <count>", "then remove all dated backups except this many of the newest", wholeNumber(1))
    .action(async (file: string | undefined, dated: DatedOptions) => {
      if (file === undefined) return makeDatedBackups(located(), dated);
      if (Object.keys(dated).length > 0) {
        backupCommand.error("error: options '--every' and '--keep' are for dated backups, without a file.");
      }
      await withProgress((report) => backup(pathOfDatabase(databaseUrl()), resolve(file), migrations, report));
      console.log(`The database is backed up to ${file}.`);
    });
  addBackupsCommand(program, located);
  const restoreCommand = program
    .command("restore")
    .description("replace the database with a backup and keep the old one beside it; stop the service first")
    .argument("[file]", "a backup")
    .option("--at <time>", "the newest dated backup up to this time, such as 2026-12-05T09:30Z", parseTime)
    .option("--force", `also replace a database that cannot be read, though ${keptData.unread.risk}`)
    .action(async (named: string | undefined, { at, force }: { at?: number; force?: true }) => {
      if ((named === undefined) === (at === undefined)) {
        restoreCommand.error("error: name either a backup, or a time with option '--at'.");
      }
      const file = named ?? backupAt(located(), at!);
      const restored = await withProgress((report) =>
        restore(pathOfDatabase(databaseUrl()), resolve(file), { ...options, force: force === true, report }),
      );
      for (const line of resultOf(file, restored, { tables, keptData })) console.log(line);
    });
}

/** Returns the lines that `restore` prints: the restored file, the replaced database, and what was kept and lost. */
export function resultOf(
  file: string,
  { aside, kept }: Restored,
  { tables, keptData }: Pick<BackupSettings, "tables" | "keptData">,
): string[] {
  const first = `${file} is restored.${aside === undefined ? "" : ` The replaced file is now ${aside}.`}`;
  if (aside === undefined) return [first];
  if (kept === undefined) {
    return [
      first,
      `The replaced file could not be read. ${keptData.unread.remedy} New rows may reuse ids of lost rows.`,
    ];
  }
  return [first, `${kept.summary} No id is reused.`, lossOf(kept.loss, tables)];
}

function lossOf({ rows, from, to }: Loss, tables: AnyTables): string {
  const lost = nounsOf(rows, tables);
  if (lost.length === 0) return "Nothing was added since the backup.";
  const time = `${from === undefined ? "the start" : isoDate(from)} and ${isoDate(to ?? from ?? 0)}`;
  return `Lost, added between ${time}: ${lost.join(", ")}.`;
}

function pathOfDatabase(url: string): string {
  if (isPostgresUrl(url)) {
    throw new DatabaseError(
      "Only SQLite databases can be backed up. For PostgreSQL, use its own tools, such as pg_dump.",
    );
  }
  return resolve(pathOfFileUrl(url));
}
