import { existsSync } from "node:fs";
import { withProgress } from "@platform/command-line";
import { NAME } from "@platform/command-line/name";
import type { Command } from "commander";
import { DatabaseError } from "../database-error.ts";
import { openDatabase } from "../database.ts";
import type { Schema } from "../registration.ts";
import { isDatabaseUrl, isPostgresUrl, pathOfFileUrl, realPathOf } from "../url.ts";
import { copyDatabase } from "./copy.ts";

/** Adds `copy` to the command line. */
export function addCopyCommand(program: Command, schema: Schema): void {
  const command = program
    .command("copy")
    .description("copy a database to an empty one, such as SQLite to PostgreSQL, and compare")
    .requiredOption("--from <url>", "the database to copy, whose service is stopped", (url) => parse("--from", url))
    .requiredOption("--to <url>", "the empty database to copy to", (url) => parse("--to", url))
    .option("--json", "print JSON")
    .action(async (options: CopyOptions) => {
      if (locationOf(options.from) === locationOf(options.to))
        command.error("error: options '--from' and '--to' name the same database.");
      await copy(options, schema);
    });

  /** Commander's own error would repeat the value, which may contain a password. */
  function parse(option: string, text: string): string {
    const url = text.trim();
    if (isDatabaseUrl(url)) return url;
    const examples = `file:data/${NAME}.db or postgres://user:password@host:5432/${NAME}`;
    return command.error(`error: option '${option} <url>' argument is invalid. Give it as ${examples}.`);
  }
}

interface CopyOptions {
  from: string;
  to: string;
  json?: true;
}

async function copy({ from, to, json }: CopyOptions, schema: Schema): Promise<void> {
  if (!isPostgresUrl(from) && !existsSync(pathOfFileUrl(from)))
    throw new DatabaseError("There is no database at the path that --from names.");
  const [source, target] = [openDatabase(from), openDatabase(to)];
  try {
    const copied = await withProgress((report) => copyDatabase(source, target, schema, report));
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
