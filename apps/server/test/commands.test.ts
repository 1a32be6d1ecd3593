import { join } from "node:path";
import { addAuditCommand } from "@platform/api-keys/audit.commands";
import { keptApiKeys } from "@platform/api-keys/keys.kept-data";
import { addKeysCommands } from "@platform/api-keys/keys.commands";
import { addBackupCommands } from "@platform/storage/backup.commands";
import { addCopyCommand } from "@platform/storage/copy";
import { temporaryUrl } from "@platform/test-support/temporary";
import { Command } from "commander";
import { expect, test } from "vitest";
import { addDoctorCommand } from "../src/doctor.ts";
import { run } from "./program.ts";

/** A command and all below it. */
function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

test("each command, argument and option has a description", () => {
  const program = new Command("petstore").description("all commands");
  const unread = () => expect.fail("settings are read though no command runs");
  addKeysCommands(program, { withDatabase: unread, environment: unread, scopes: [] });
  addAuditCommand(program, { withDatabase: unread, tables: {} });
  addBackupCommands(program, {
    databaseUrl: unread,
    backupFolder: unread,
    migrations: {},
    tables: {},
    keptData: keptApiKeys,
  });
  addCopyCommand(program, { migrations: {}, tables: {} });
  addDoctorCommand(program);
  const commands = withSubcommands(program);
  expect(commands.length).toBeGreaterThan(10);
  const silent = commands.flatMap((command) => [
    ...(command.description() === "" ? [command.name()] : []),
    ...[...command.registeredArguments, ...command.options]
      .filter(({ description }) => !description)
      .map((one) => `${command.name()} ${"flags" in one ? one.flags : one.name()}`),
  ]);
  expect(silent).toEqual([]);
});

const SOURCE = join(import.meta.dirname, "../bin/service.js"); // unbundled, so that its modules keep their names

/** A Node option that sees each module as it is loaded. */
function atLoad(hook: string): string {
  return `--import=data:text/javascript,import{registerHooks}from'node:module';registerHooks({load:${hook}})`;
}

test("the start fails if the contract has a scope that no key can have", async () => {
  const withComma = "source:String(m.source).replace('\"pets:','\"pets,')";
  const NODE_OPTIONS = atLoad(`(u,c,n,m=n(u,c))=>u.endsWith('/metadata.ts')?{...m,${withComma}}:m`);
  const { code, stderr } = await run(["serve"], { NODE_OPTIONS, DATABASE_URL: await temporaryUrl() }, SOURCE);
  expect(code).toBe(1);
  expect(stderr).toMatch(/No API key can have the scope "pets,\w+", which an operation of the contract requires\./);
});

test("a command loads no web server", async () => {
  const NODE_OPTIONS = atLoad("(u,c,n)=>(console.log('loaded:'+u),n(u,c))");
  const { code, stdout } = await run(["audit"], { NODE_OPTIONS, DATABASE_URL: await temporaryUrl() }, SOURCE);
  expect(code).toBe(0);
  const loaded = stdout.match(/^loaded:.*$/gm) ?? [];
  expect(loaded).toContainEqual(expect.stringContaining("audit.commands.ts"));
  expect(loaded.filter((url) => /(node_modules\/express|packages\/express-operations)\//.test(url))).toEqual([]);
});
