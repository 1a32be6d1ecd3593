import { resolve } from "node:path";
import type { Command } from "commander";
import { backup, restore } from "./backup.ts";
import { ConfigError, isPostgresUrl, pathOfFileUrl, readConfig } from "../config.ts";

/** Adds `backup` and `restore` to the command line. */
export function addBackupCommands(program: Command): void {
  program
    .command("backup")
    .description("copy the database to a file, also while the service runs")
    .argument("<file>", "where the copy goes; it must not exist")
    .action((file: string) => {
      backup(databasePath(), resolve(file));
      console.log(`The database is backed up to ${file}.`);
    });
  program
    .command("restore")
    .description("put a backup in the place of the database, which is kept beside it; the service must be stopped")
    .argument("<file>", "a backup")
    .action((file: string) => {
      const aside = restore(databasePath(), resolve(file));
      console.log(`${file} is restored.${aside === undefined ? "" : ` What was there is now ${aside}.`}`);
    });
}

function databasePath(): string {
  const { databaseUrl } = readConfig(process.env);
  if (isPostgresUrl(databaseUrl)) {
    throw new ConfigError("Backups are made of SQLite files. For PostgreSQL use its own tools, such as pg_dump.");
  }
  return resolve(pathOfFileUrl(databaseUrl));
}
