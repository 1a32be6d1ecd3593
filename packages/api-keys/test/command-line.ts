import { SERVICE } from "@openapi-operations/command-line/name";
import type { Environment } from "@openapi-operations/service/settings";
import { openDatabase, type WithDatabase } from "@openapi-operations/storage/database";
import { migrate } from "@openapi-operations/storage/migrations";
import { Command, CommanderError } from "commander";
import { onTestFinished, vi } from "vitest";
import { addAuditCommand } from "../src/audit.commands.ts";
import { addKeysCommands } from "../src/keys.commands.ts";
import { MIGRATIONS, TABLES, type Tables } from "./tables.ts";

/** The output of a command, and the exit code of the program: 2 for invalid arguments. */
export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command line in this process, on the database at a URL. */
export async function run(args: string[], url: string, environment: Environment = "development"): Promise<Ended> {
  const withDatabase: WithDatabase<Tables> = async (work) => {
    const db = openDatabase<Tables>(url);
    try {
      await migrate(db, MIGRATIONS);
      return await work(db);
    } finally {
      await db.destroy();
    }
  };
  const ended: Ended = { code: 0, stdout: "", stderr: "" };
  const program = new Command(SERVICE.name).exitOverride().configureOutput({
    writeOut: (text) => void (ended.stdout += text),
    writeErr: (text) => void (ended.stderr += text),
  });
  const scopes = ["things:read", "things:write"];
  addKeysCommands(program, { withDatabase, environment: () => environment, scopes });
  addAuditCommand(program, { withDatabase, tables: TABLES });

  const spies = [
    vi.spyOn(console, "log").mockImplementation((text: string) => void (ended.stdout += `${text}\n`)),
    vi.spyOn(console, "error").mockImplementation((text: string) => void (ended.stderr += `${text}\n`)),
  ];
  const restore = () => spies.forEach((spy) => spy.mockRestore());
  onTestFinished(restore);
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    ended.code = 2;
  } finally {
    restore();
  }
  if (process.exitCode !== undefined) ended.code = Number(process.exitCode);
  process.exitCode = undefined;
  return ended;
}
