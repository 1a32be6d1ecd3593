import { resolve } from "node:path";
import { backup } from "@platform/storage/backup";
import { DatabaseError } from "@platform/storage/database-error";
import { isPostgresUrl, pathOfFileUrl } from "@platform/storage/url";
import type { Command } from "commander";
import { restore, type Restored } from "./restore.ts";

/** Adds `backup` and `restore` of the database at this URL to the command line. */
export function addBackupCommands(program: Command, databaseUrl: () => string): void {
  program
    .command("backup")
    .description("copy the database to a file, also while the service runs")
    .argument("<file>", "where the copy goes; it must not exist")
    .action((file: string) => {
      backup(pathOfDatabase(databaseUrl()), resolve(file));
      console.log(`The database is backed up to ${file}.`);
    });
  program
    .command("restore")
    .description("put a backup in the place of the database, which is kept beside it; the service must be stopped")
    .argument("<file>", "a backup")
    .option("--force", "also replace a database that cannot be read, though keys revoked since may be valid again")
    .action(async (file: string, { force }: { force?: true }) => {
      const restored = await restore(pathOfDatabase(databaseUrl()), resolve(file), { force: force === true });
      for (const line of report(file, restored)) console.log(line);
    });
}

/** The lines that `restore` prints: what was restored, what was kept, and what is lost by it. */
export function report(file: string, { aside, endedKeys, loss }: Restored): string[] {
  const first = `${file} is restored.${aside === undefined ? "" : ` What was there is now ${aside}.`}`;
  if (aside === undefined) return [first];
  if (endedKeys === undefined || loss === undefined) {
    return [
      first,
      "It could not be read: see `petstore keys list`, and revoke anew what was revoked since the backup. Ids may be given again.",
    ];
  }
  const kept = `Revoked or rotated since the backup, and still so: ${counted(endedKeys, "API key")}. No id is given twice.`;
  const { pets, apiKeys, answers, from, to } = loss;
  if (pets + apiKeys + answers === 0) return [first, kept, "Nothing was added since the backup."];
  const lost = [
    pets > 0 && counted(pets, "animal"),
    apiKeys > 0 && counted(apiKeys, "API key"),
    answers > 0 && `${counted(answers, "answer")} kept for Idempotency-Key`,
  ].filter((text) => text !== false);
  const time = `${from === undefined ? "the start" : isoDate(from)} and ${isoDate(to ?? from ?? 0)}`;
  return [first, kept, `Lost, added between ${time}: ${lost.join(", ")}.`];
}

function isoDate(time: number): string {
  return new Date(time).toISOString();
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function pathOfDatabase(url: string): string {
  if (isPostgresUrl(url)) {
    throw new DatabaseError("Backups are made of SQLite files. For PostgreSQL use its own tools, such as pg_dump.");
  }
  return resolve(pathOfFileUrl(url));
}
