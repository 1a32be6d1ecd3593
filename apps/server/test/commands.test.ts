import { Command } from "commander";
import { expect, test } from "vitest";
import { addKeysCommands } from "../src/keys/keys.commands.ts";
import { addBackupCommands } from "../src/maintenance/backup.commands.ts";
import { addCopyCommand } from "../src/maintenance/copy.commands.ts";
import { addDoctorCommand } from "../src/maintenance/doctor.commands.ts";

/** A command and all below it. */
function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

test("each command, argument and option says what it is for", () => {
  const program = new Command("petstore").description("all commands");
  for (const add of [addKeysCommands, addBackupCommands, addCopyCommand, addDoctorCommand]) add(program);
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
