import { createProgram, runProgram, withProgress } from "@platform/command-line";
import { NAME } from "@platform/command-line/name";
import { ConfigError } from "@platform/service/settings";
import { addBackupCommands } from "@platform/storage/backup.commands";
import { openDatabase, type WithDatabase } from "@platform/storage/database";
import { isDatabaseUnavailable } from "@platform/storage/database-error";
import { migrate } from "@platform/storage/migrations";
import { addAuditCommand } from "../../../src/audit.commands.ts";
import { keptApiKeys } from "../../../src/keys.kept-data.ts";
import { addKeysCommands } from "../../../src/keys.commands.ts";
import { SCHEMA, TABLES, type Tables } from "../../tables.ts";
import { readConfig, SCOPES } from "../config.ts";

/** The whole service as a program, with its commands. */
const program = createProgram(NAME, { description: "Things.", folder: import.meta.dirname });
const settings = () => readConfig(process.env);

program
  .command("serve")
  .description("run the service")
  .action(async () => {
    // Imported here, so that the other commands do not load the web server.
    const { runService } = await import("@platform/service/run-service");
    const { thingsService } = await import("../things.ts");
    await runService({ ...thingsService(settings()), path: import.meta.filename });
  });
program
  .command("migrate")
  .description("migrate the database")
  .action(() => withDatabase(async () => {}));
const withDatabase: WithDatabase<Tables> = async (work) => {
  const db = openDatabase<Tables>(settings().databaseUrl);
  try {
    await withProgress((report) => migrate(db, SCHEMA.migrations, { mayBeNewer: true, report }));
    return await work(db);
  } finally {
    await db.destroy();
  }
};
addKeysCommands(program, { withDatabase, environment: () => settings().environment, scopes: SCOPES });
addAuditCommand(program, { withDatabase, tables: TABLES });
addBackupCommands(program, {
  ...SCHEMA,
  databaseUrl: () => settings().databaseUrl,
  backupFolder: () => undefined,
  keptData: keptApiKeys,
});

const isExpected = (error: unknown): boolean => error instanceof ConfigError || isDatabaseUnavailable(error);
await runProgram(program, { isExpected });
