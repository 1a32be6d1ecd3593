import { join } from "node:path";
import { keptApiKeys } from "@openapi-operations/api-keys/keys.kept-data";
import { addAdministration } from "@openapi-operations/api-keys/program";
import { resultOf } from "@openapi-operations/storage/backup.commands";
import { temporaryUrl } from "@openapi-operations/storage/testing";
import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { DEFINITION } from "../src/definition.ts";
import { TABLES } from "../src/registrations.ts";
import { run } from "./program.ts";

describe("the commands", () => {
  /** A command and all below it. */
  function withSubcommands(command: Command): Command[] {
    return [command, ...command.commands.flatMap(withSubcommands)];
  }

  test("each command, argument and option has a description", () => {
    const program = new Command("petstore").description("all commands");
    const unread = () => expect.fail("settings are read though no command runs");
    addAdministration(program, { ...DEFINITION, readConfig: unread });
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
});

describe("the command backup", () => {
  const FIRST = "b.db is restored. The replaced file is now a.db.";
  const [FROM, TO] = [Date.parse("2030-01-02T03:04:05Z"), Date.parse("2030-01-02T03:05:06Z")];
  const NOTHING = { rows: { pets: 0, api_keys: 0, idempotency_keys: 0 }, from: FROM, to: TO };
  const OPTIONS = { tables: TABLES, keptData: keptApiKeys };

  test("petstore restore prints only one line if there was no database before", () => {
    expect(resultOf("b.db", { aside: undefined, kept: undefined }, OPTIONS)).toEqual(["b.db is restored."]);
  });

  test("petstore restore prints that the replaced database could not be read", () => {
    expect(resultOf("b.db", { aside: "a.db", kept: undefined }, OPTIONS)).toEqual([
      FIRST,
      "The replaced file could not be read. Run `petstore keys list`, and revoke again the keys that were revoked since the backup. New rows may reuse ids of lost rows.",
    ]);
  });

  test.each([
    [NOTHING, "Nothing was added since the backup."],
    [
      { ...NOTHING, rows: { pets: 1 } },
      "Lost, added between 2030-01-02T03:04:05.000Z and 2030-01-02T03:05:06.000Z: 1 animal.",
    ],
    [
      { ...NOTHING, rows: { api_keys: 1 }, from: undefined },
      "Lost, added between the start and 2030-01-02T03:05:06.000Z: 1 API key.",
    ],
    [
      { ...NOTHING, rows: { idempotency_keys: 2, pets: 2, audit: 2 }, to: undefined },
      "Lost, added between 2030-01-02T03:04:05.000Z and 2030-01-02T03:04:05.000Z: 2 animals, 2 responses stored for Idempotency-Key.",
    ],
  ])("petstore restore prints the revoked keys and the lost rows: %o", (loss, last) => {
    const kept = { summary: "All that was revoked stays so.", loss };
    expect(resultOf("b.db", { aside: "a.db", kept }, OPTIONS)).toEqual([
      FIRST,
      "All that was revoked stays so. No id is reused.",
      last,
    ]);
  });
});
