import { createProgram, runProgram, withProgress } from "@openapi-operations/command-line";
import { SERVICE } from "@openapi-operations/command-line/name";
import type { ServiceProgram } from "@openapi-operations/service/run-service";
import { ConfigError } from "@openapi-operations/service/settings";
import { addBackupCommands } from "@openapi-operations/storage/backup.commands";
import { addCopyCommand } from "@openapi-operations/storage/copy";
import { openDatabase, useAndClose, type WithDatabase } from "@openapi-operations/storage/database";
import { isDatabaseUnavailable } from "@openapi-operations/storage/database-error";
import { migrate, servedSince } from "@openapi-operations/storage/migrations";
import type { Command } from "commander";
import type { Kysely } from "kysely";
import { addAuditCommand } from "./audit.commands.ts";
import { addDoctorCommand } from "./doctor.ts";
import { addKeysCommands } from "./keys.commands.ts";
import { keptApiKeys } from "./keys.kept-data.ts";
import type { ApiKeysTables } from "./keys.table.ts";
import { hasTokens } from "./schemes.ts";
import { addTokenCommand } from "./token.commands.ts";
import type { KeyedConfig, KeyedService } from "./settings.ts";

/** The service as a command line. */
interface CommandLine<Config extends KeyedConfig> extends KeyedService<Config> {
  /** A folder of the package whose version `--version` prints. */
  folder: string;
  /** Loads the program that serves, so that the other commands do not load the web server. */
  loadProgram: (config: Config) => Promise<ServiceProgram>;
  /** Adds commands of the team. */
  addCommands?: (program: Command) => void;
}

/** Runs the command line of a service: `serve`, and the commands of its administration. */
export async function runCommandLine<Config extends KeyedConfig>(service: CommandLine<Config>): Promise<void> {
  const { name } = SERVICE;
  const program = createProgram(name, {
    description: `The ${name} service and its administration.`,
    folder: service.folder,
    examples: [`${name} keys create --name shop --expires-in 90d`, `${name} keys create --help`],
  });
  let isServing = false;
  program
    .command("serve")
    .description("run the service")
    .action(async () => {
      const { runService } = await import("@openapi-operations/service/run-service");
      const served = await service.loadProgram(service.readConfig(process.env));
      isServing = true;
      await runService(served);
    });
  addAdministration(program, service);
  service.addCommands?.(program);
  await runProgram(program, { isExpected, mayLoseOutput: () => isServing });
}

/** Adds the commands of the administration: of migrations, API keys, the audit trail, backups, copies, and `doctor`. */
export function addAdministration(program: Command, service: KeyedService): void {
  const { scopes, schema } = service;
  const config = () => service.readConfig(process.env);
  const { migrations } = schema;
  program
    .command("migrate")
    .description("migrate the database to this version")
    .action(() =>
      usingDatabase(config(), async (db) => {
        const applied = await withProgress((report) => migrate(db, migrations, { mayBeNewer: true, report }));
        console.log(applied.length === 0 ? "The database is up to date." : `Applied ${applied.join(", ")}.`);
        const since = servedSince(applied, migrations);
        if (since !== undefined) console.log(`Versions before ${since} can no longer serve the database.`);
      }),
    );
  const withDatabase: WithDatabase<ApiKeysTables> = (work) =>
    usingDatabase(config(), async (db) => {
      await withProgress((report) => migrate(db, migrations, { mayBeNewer: true, report }));
      return work(db);
    });
  addKeysCommands(program, { withDatabase, environment: () => config().environment, scopes });
  addAuditCommand(program, { withDatabase, tables: schema.tables });
  addBackupCommands(program, {
    ...schema,
    databaseUrl: () => config().databaseUrl,
    backupFolder: () => config().backupFolder,
    keptData: keptApiKeys,
  });
  addCopyCommand(program, schema);
  addDoctorCommand(program, service);
  if (hasTokens(service.schemes)) addTokenCommand(program, service);
}

/** Opens the database in the settings, runs `work` on it, and closes it. */
export function usingDatabase<Result>(
  { databaseUrl, checkpoints }: Pick<KeyedConfig, "databaseUrl" | "checkpoints">,
  work: (db: Kysely<ApiKeysTables>) => Promise<Result>,
): Promise<Result> {
  return useAndClose(openDatabase<ApiKeysTables>(databaseUrl, { checkpoints }), work);
}

/** Whether the message alone explains the error. Two classes are compared by name, to avoid importing the web server. */
function isExpected(error: unknown): boolean {
  return (
    error instanceof ConfigError ||
    isDatabaseUnavailable(error) ||
    (error instanceof Error && ["ListenError", "ProcessError"].includes(error.name))
  );
}
