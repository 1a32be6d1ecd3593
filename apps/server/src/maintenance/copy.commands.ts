import { existsSync } from "node:fs";
import { ConfigError } from "@platform/service/settings";
import type { Command } from "commander";
import { readConfig } from "../config.ts";
import { isPostgresUrl, pathOfFileUrl, realPathOf } from "../database/url.ts";
import { openDatabase } from "../database/database.ts";
import { printJson } from "../print.ts";
import { copyDatabase } from "./copy.ts";

/** Adds `copy` to the command line. */
export function addCopyCommand(program: Command): void {
  program
    .command("copy")
    .description("copy a database to an empty one, such as SQLite to PostgreSQL, and compare")
    .requiredOption("--from <url>", "the database to copy, whose service is stopped", parseExistingDatabase)
    .requiredOption("--to <url>", "the empty database to copy to", parseDatabase)
    .option("--json", "print JSON")
    .action(copy);
}

async function copy({ from, to, json }: { from: string; to: string; json?: true }): Promise<void> {
  if (placeOf(from) === placeOf(to)) throw new ConfigError("--from and --to name the same database.");
  const [source, target] = [openDatabase(from), openDatabase(to)];
  try {
    const copied = await copyDatabase(source, target);
    if (json) return printJson(copied);
    for (const { table, rows, checksum } of copied) console.log(`${table}: ${rows} rows, checksum ${checksum}`);
    console.log("Both databases hold the same. Start the service with DATABASE_URL set to the new one.");
  } finally {
    await Promise.all([source.destroy(), target.destroy()]);
  }
}

function placeOf(url: string): string {
  return isPostgresUrl(url) ? url : realPathOf(pathOfFileUrl(url));
}

/** Commander's own errors repeat the value, which may hold a password. */
function parseDatabase(url: string): string {
  try {
    return readConfig({ DATABASE_URL: url }).databaseUrl;
  } catch {
    throw new ConfigError(
      "Give --from and --to as file:data/petstore.db or postgres://user:password@host:5432/petstore.",
    );
  }
}

function parseExistingDatabase(text: string): string {
  const url = parseDatabase(text);
  if (isPostgresUrl(url) || existsSync(pathOfFileUrl(url))) return url;
  throw new ConfigError("There is no database at the path that --from names.");
}
