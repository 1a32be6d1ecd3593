import { existsSync } from "node:fs";
import { NAME } from "@platform/name";
import type { Command } from "commander";
import { DatabaseError } from "../database-error.ts";
import { openDatabase } from "../database.ts";
import type { Schema } from "../registration.ts";
import { isDatabaseUrl, isPostgresUrl, pathOfFileUrl, realPathOf } from "../url.ts";
import { copyDatabase } from "./copy.ts";

/** Adds `copy` to the command line. */
export function addCopyCommand(program: Command, schema: Schema): void {
  program
    .command("copy")
    .description("copy a database to an empty one, such as SQLite to PostgreSQL, and compare")
    .requiredOption("--from <url>", "the database to copy, whose service is stopped", parseExistingDatabase)
    .requiredOption("--to <url>", "the empty database to copy to", parseDatabase)
    .option("--json", "print JSON")
    .action((options: CopyOptions) => copy(options, schema));
}

interface CopyOptions {
  from: string;
  to: string;
  json?: true;
}

async function copy({ from, to, json }: CopyOptions, schema: Schema): Promise<void> {
  if (locationOf(from) === locationOf(to)) throw new DatabaseError("--from and --to name the same database.");
  const [source, target] = [openDatabase(from), openDatabase(to)];
  try {
    const copied = await copyDatabase(source, target, schema);
    if (json) return console.log(JSON.stringify(copied, null, 2));
    for (const { table, rows, checksum } of copied) console.log(`${table}: ${rows} rows, checksum ${checksum}`);
    console.log("Both databases contain the same data. Start the service with DATABASE_URL set to the new one.");
  } finally {
    await Promise.all([source.destroy(), target.destroy()]);
  }
}

function locationOf(url: string): string {
  return isPostgresUrl(url) ? url : realPathOf(pathOfFileUrl(url));
}

/** Validates a URL here, because Commander's own errors repeat the value, which may contain a password. */
function parseDatabase(text: string): string {
  const url = text.trim();
  if (isDatabaseUrl(url)) return url;
  throw new DatabaseError(
    `Give --from and --to as file:data/${NAME}.db or postgres://user:password@host:5432/${NAME}.`,
  );
}

function parseExistingDatabase(text: string): string {
  const url = parseDatabase(text);
  if (isPostgresUrl(url) || existsSync(pathOfFileUrl(url))) return url;
  throw new DatabaseError("There is no database at the path that --from names.");
}
