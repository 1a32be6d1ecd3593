import { scopes } from "@petstore/contract";
import { addAuditCommand } from "@platform/api-keys/audit.commands";
import { apiKeyCarryOver } from "@platform/api-keys/keys.carry-over";
import { addKeysCommands } from "@platform/api-keys/keys.commands";
import { NAME } from "@platform/name";
import { ConfigError } from "@platform/service/settings";
import { addBackupCommands } from "@platform/storage/backup.commands";
import { addCopyCommand } from "@platform/storage/copy.commands";
import { openDatabase } from "@platform/storage/database";
import { isDatabaseUnavailable } from "@platform/storage/database-error";
import { migrate } from "@platform/storage/migrations";
import { Command, CommanderError } from "commander";
import { readConfig } from "./config.ts";
import { addDoctorCommand } from "./doctor.commands.ts";
import { MIGRATIONS } from "./migrations.ts";
import { TABLES } from "./registrations.ts";
import { withDatabase } from "./with-database.ts";

const schema = { migrations: MIGRATIONS, tables: TABLES };

let isServing = false;
let isOutputLost = false;

const program = new Command(NAME).description(`The ${NAME} service and its administration.`).exitOverride();

program
  .command("serve")
  .description("run the service (the default command)")
  .action(async () => {
    // Imported here, so that the other commands do not load the web server.
    const { runService } = await import("@platform/service/run-service");
    const { serviceProgram } = await import("./server.ts");
    isServing = true;
    await runService(serviceProgram(readConfig(process.env)));
  });

program
  .command("migrate")
  .description("bring the database to this version")
  .action(async () => {
    const db = openDatabase(readConfig(process.env).databaseUrl);
    try {
      const applied = await migrate(db, MIGRATIONS);
      console.log(applied.length === 0 ? "The database is up to date." : `Applied ${applied.join(", ")}.`);
    } finally {
      await db.destroy();
    }
  });

addKeysCommands(program, { withDatabase, environment: () => readConfig(process.env).environment, scopes });
addAuditCommand(program, { withDatabase, tables: TABLES });
addBackupCommands(program, {
  ...schema,
  databaseUrl: () => readConfig(process.env).databaseUrl,
  carryOver: apiKeyCarryOver,
});
addCopyCommand(program, schema);
addDoctorCommand(program);

process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
  if (code === "EPIPE") return; // the reader has closed the pipe, as in `--help | head -1`
  if (!isOutputLost) console.error(`Standard output cannot be written; its content is lost (${message}).`);
  isOutputLost = true;
  if (!isServing) process.exitCode = 1; // a command fails without its output
});

try {
  const args = process.argv.slice(2);
  await program.parseAsync(args.length === 0 ? ["serve"] : args, { from: "user" });
} catch (error) {
  process.exitCode = exitCodeAfterReporting(error);
}

/**
 * Prints the error and returns the exit code: 0 after help, 2 for invalid arguments, 1 otherwise. The stack is printed only
 * for unexpected errors.
 */
function exitCodeAfterReporting(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // Commander has printed the error
  if (isExpected(error)) console.error((error as Error).message);
  else console.error(error);
  return 1;
}

/** Whether the message alone explains the error. Two classes are compared by name, to avoid importing the web server. */
function isExpected(error: unknown): boolean {
  return (
    error instanceof ConfigError ||
    isDatabaseUnavailable(error) ||
    (error instanceof Error && ["ListenError", "ProcessError"].includes(error.name))
  );
}
