import { existsSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { addBackupCommands } from "./maintenance/backup.commands.ts";
import { ConfigError, isPostgresUrl, pathOfFileUrl, readConfig } from "./config.ts";
import { isDatabaseUnavailable } from "./database/database.errors.ts";
import { openDatabase } from "./database/database.ts";
import { addDoctorCommand } from "./maintenance/doctor.commands.ts";
import { addKeysCommands } from "./keys/keys.commands.ts";
import { migrate } from "./database/migrations.ts";

const program = new Command("petstore").description("The petstore service and its administration.").exitOverride();

program
  .command("serve")
  .description("run the service (what happens without a command)")
  .action(async () => {
    const { serve } = await import("./serve.ts"); // the other commands need not load the web server
    await serve(readConfig(process.env));
  });

program
  .command("migrate")
  .description("bring the database to this version")
  .action(async () => {
    const db = openDatabase(readConfig(process.env).databaseUrl);
    try {
      const applied = await migrate(db);
      console.log(applied.length === 0 ? "The database is up to date." : `Applied ${applied.join(", ")}.`);
    } finally {
      await db.destroy();
    }
  });

program
  .command("copy")
  .description("copy a database to an empty one, such as SQLite to PostgreSQL, and compare")
  .requiredOption("--from <url>", "the database to copy, whose service is stopped", parseExistingDatabase)
  .requiredOption("--to <url>", "the empty database to copy to", parseDatabase)
  .option("--json", "print JSON")
  .action(copy);

addKeysCommands(program);
addBackupCommands(program);
addDoctorCommand(program);

// Whoever reads the output may have seen enough, as in `petstore --help | head -1`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

try {
  const words = process.argv.slice(2);
  await program.parseAsync(words.length === 0 ? ["serve"] : words, { from: "user" });
} catch (error) {
  process.exitCode = exitCodeAfterReporting(error);
}

async function copy({ from, to, json }: { from: string; to: string; json?: true }): Promise<void> {
  const { copyDatabase } = await import("./maintenance/copy.ts");
  const [source, target] = [openDatabase(from), openDatabase(to)];
  try {
    const copied = await copyDatabase(source, target);
    if (json) return console.log(JSON.stringify(copied, null, 2));
    for (const { table, rows, checksum } of copied) console.log(`${table}: ${rows} rows, checksum ${checksum}`);
    console.log("Both databases hold the same. Start the service with DATABASE_URL set to the new one.");
  } finally {
    await Promise.all([source.destroy(), target.destroy()]);
  }
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

/** 0 after help, 2 for a mistake in the command, 1 for all else; a stack only for what nobody expected. */
function exitCodeAfterReporting(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // commander has printed it
  if (isExpected(error)) console.error((error as Error).message);
  else console.error(error);
  return 1;
}

/** Some are told by their names, since their modules load the web server. */
function isExpected(error: unknown): boolean {
  return (
    error instanceof ConfigError ||
    isDatabaseUnavailable(error) ||
    (error instanceof Error && ["ListenError", "ProcessError"].includes(error.name))
  );
}
