import { scopes } from "@petstore/contract";
import { addAuditCommand } from "@platform/api-keys/audit.commands";
import { keptApiKeys } from "@platform/api-keys/keys.kept-data";
import { addKeysCommands } from "@platform/api-keys/keys.commands";
import { createProgram, runProgram, withProgress } from "@platform/command-line";
import { NAME } from "@platform/command-line/name";
import { ConfigError } from "@platform/service/settings";
import { addBackupCommands } from "@platform/storage/backup.commands";
import { addCopyCommand } from "@platform/storage/copy";
import { isDatabaseUnavailable } from "@platform/storage/database-error";
import { migrate, servedSince } from "@platform/storage/migrations";
import { readConfig } from "./config.ts";
import { addDoctorCommand } from "./doctor.ts";
import { MIGRATIONS } from "./migrations.ts";
import { TABLES } from "./registrations.ts";
import { opened, withDatabase } from "./database.ts";

const schema = { migrations: MIGRATIONS, tables: TABLES };

let isServing = false;

const program = createProgram(NAME, {
  description: `The ${NAME} service and its administration.`,
  folder: import.meta.dirname,
  examples: [`${NAME} keys create --name shop --expires-in 90d`, `${NAME} keys create --help`],
});

program
  .command("serve")
  .description("run the service")
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
  .action(() =>
    opened(readConfig(process.env), async (db) => {
      const applied = await withProgress((report) => migrate(db, MIGRATIONS, { mayBeNewer: true, report }));
      console.log(applied.length === 0 ? "The database is up to date." : `Applied ${applied.join(", ")}.`);
      const since = servedSince(applied, MIGRATIONS);
      if (since !== undefined) console.log(`Versions before ${since} can no longer serve the database.`);
    }),
  );

addKeysCommands(program, { withDatabase, environment: () => readConfig(process.env).environment, scopes });
addAuditCommand(program, { withDatabase, tables: TABLES });
addBackupCommands(program, {
  ...schema,
  databaseUrl: () => readConfig(process.env).databaseUrl,
  backupFolder: () => readConfig(process.env).backupFolder,
  keptData: keptApiKeys,
});
addCopyCommand(program, schema);
addDoctorCommand(program);

await runProgram(program, { isExpected, mayLoseOutput: () => isServing });

/** Whether the message alone explains the error. Two classes are compared by name, to avoid importing the web server. */
function isExpected(error: unknown): boolean {
  return (
    error instanceof ConfigError ||
    isDatabaseUnavailable(error) ||
    (error instanceof Error && ["ListenError", "ProcessError"].includes(error.name))
  );
}
