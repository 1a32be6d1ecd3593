import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { MIGRATIONS } from "../src/database/migrations.ts";
import { ENTRY, run } from "./program.ts";
import { temporaryFolder, temporaryUrl } from "./temporary.ts";

describe("petstore migrate", () => {
  test("says what it applied", async () => {
    const DATABASE_URL = await temporaryUrl();
    expect(await run(["migrate"], { DATABASE_URL })).toEqual({
      code: 0,
      stdout: `Applied ${Object.keys(MIGRATIONS).join(", ")}.\n`,
      stderr: "",
    });
    expect(await run(["migrate"], { DATABASE_URL })).toEqual({
      code: 0,
      stdout: "The database is up to date.\n",
      stderr: "",
    });
  });
});

describe("a mistake in the command exits with 2 and one line", () => {
  test.each([
    ["an unknown command", ["serv"], /^error: unknown command 'serv'\n/],
    ["an unknown option", ["migrate", "--force"], /^error: unknown option '--force'\n/],
    ["no name", ["keys", "create"], /^error: required option '--name <name>' not specified\n$/],
    ["a name with control characters", ["keys", "create", "--name", "a\u001b[2J"], /Give 1 to 100 characters/],
    [
      "an unknown scope",
      ["keys", "create", "--name", "ci", "--scopes", "pets:read,pets:eat"],
      /Give some of pets:read,pets:write/,
    ],
    ["an empty scope", ["keys", "create", "--name", "ci", "--scopes", ""], /Give some of pets:read,pets:write/],
    ["a duration without a unit", ["keys", "create", "--name", "ci", "--expires-in", "90"], /such as 90d/],
    ["a duration of nothing", ["keys", "create", "--name", "ci", "--expires-in", "0d"], /such as 90d/],
    ["an id that is no number", ["keys", "revoke", "ci"], /Give the number/],
    ["an overlap without a unit", ["keys", "rotate", "1", "--overlap", "24"], /such as 90d/],
  ])("%s", async (_, words, message) => {
    const { code, stdout, stderr } = await run(words, { DATABASE_URL: "file:/dev/null/petstore.db" });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(message);
  });
});

describe("what can be expected to fail exits with 1 and no stack", () => {
  test("a bad setting", async () => {
    const { code, stdout, stderr } = await run([], { PORT: "x", DATABASE_URL: "postgres://root:hunter2@localhost" });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toEqual([
      expect.stringMatching(/^PORT /),
      expect.stringMatching(/^DATABASE_URL must be/),
    ]);
    expect(stderr).not.toContain("hunter2");
  });

  test("a database that cannot be opened", async () => {
    const { code, stderr } = await run(["keys", "list"], { DATABASE_URL: `file:${ENTRY}` });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The database file .*petstore\.js cannot be opened .*\n$/);
  });

  test("a Node that cannot run TypeScript, as those before 22.18", async () => {
    const source = resolve(import.meta.dirname, "../bin/petstore.js");
    const { code, stdout, stderr } = await run(["keys", "list"], { NODE_OPTIONS: "--no-strip-types" }, source);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(
      /^Node .* cannot run the petstore.*`npx -y pnpm@12\.21\.0 petstore …`, which brings its own Node\.\n$/,
    );
  });
});

test("petstore --help names the commands", async () => {
  const { code, stdout } = await run(["--help"], {});
  expect(code).toBe(0);
  for (const command of ["serve", "migrate", "copy", "keys"]) expect(stdout).toContain(command);
});

test("a reader of the output that has seen enough is no error", async () => {
  const child = spawn(process.execPath, [ENTRY, "--help"], { env: {}, stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  expect(await text(child.stderr)).toBe("");
  expect(child.exitCode ?? (await once(child, "exit"))[0]).toBe(0);
});

test("a data folder that cannot be made is named, with the setting", async () => {
  const folder = await temporaryFolder();
  await writeFile(`${folder}/data`, "");
  const { code, stdout, stderr } = await run(["serve"], { DATABASE_URL: `file:${folder}/data/petstore.db` });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(
    /^The database file .*data\/petstore\.db cannot be opened .* set DATABASE_URL to another file\.\n$/,
  );
});
