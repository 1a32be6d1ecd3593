import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { startService } from "@petstore/server/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readmePrograms } from "./readme-blocks.ts";

const run = promisify(execFile);
/** A folder in the package, so that imports by the package's name resolve. */
const programs = join(import.meta.dirname, "../.turbo/readme");

beforeAll(() => {
  mkdirSync(programs, { recursive: true });
  for (const { name, code } of readmePrograms) writeFileSync(join(programs, name), code);
  writeFileSync(join(programs, "tsconfig.json"), '{ "extends": "../../tsconfig.json", "include": ["*.ts"] }');
});
afterAll(() => rmSync(programs, { recursive: true }));

test("the README's examples compile", async () => {
  const compiled = run("tsc", ["-p", programs]).catch((error: { stdout: string }) => error);
  expect((await compiled).stdout).toBe("");
});

describe("each example of the README prints the output in its comments", () => {
  test.each(readmePrograms)("$heading", async ({ name, code }) => {
    await using service = await startService();
    const env = { ...process.env, PETSTORE_URL: service.baseUrl, PETSTORE_KEY: service.key };
    const { stdout } = await run(process.execPath, [join(programs, name)], { env });
    const expected = Array.from(code.matchAll(/(?:console\.log\(.*\); \/\/|\/\/ prints:) (.*)$/gm), ([, text]) => text);
    expect(expected.length).toBeGreaterThan(0);
    expect(stdout.trimEnd().split("\n")).toEqual(expected);
  });
});
