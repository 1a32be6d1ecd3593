import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { startService } from "@petstore/server/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const run = promisify(execFile);
const folder = join(import.meta.dirname, "..");
/** Within the package, so that its own name leads to it. */
const programs = join(folder, ".turbo/readme");

const blocks = Array.from(
  readFileSync(join(folder, "README.md"), "utf8").matchAll(/^## (.*)$|^```ts\n([\s\S]*?)^```/gm),
  ([, heading, code]) => ({ heading, code }),
);
/** The blocks of code, each under its heading. The first makes the client, which all others go on with. */
const [first, ...others] = blocks.flatMap(({ code }, index) => {
  const heading = blocks.slice(0, index).findLast((block) => block.heading)?.heading;
  return code === undefined ? [] : [{ heading, code }];
});
const examples = [first!, ...others.map(({ heading, code }) => ({ heading, code: first!.code + code }))].map(
  (example, index) => ({ ...example, file: join(programs, `${index}.ts`) }),
);

beforeAll(() => {
  mkdirSync(programs, { recursive: true });
  for (const { file, code } of examples) writeFileSync(file, code);
  writeFileSync(join(programs, "tsconfig.json"), '{ "extends": "../../tsconfig.json", "include": ["*.ts"] }');
});
afterAll(() => rmSync(programs, { recursive: true }));

test("the README's examples compile", async () => {
  const compiled = run("tsc", ["-p", programs]).catch((error: { stdout: string }) => error);
  expect((await compiled).stdout).toBe("");
});

describe("each example of the README prints what its comments say", () => {
  test.each(examples)("$heading", async ({ file, code }) => {
    await using service = await startService();
    const env = { ...process.env, PETSTORE_URL: service.baseUrl, PETSTORE_KEY: service.key };
    const { stdout } = await run(process.execPath, [file], { env });
    const said = Array.from(code.matchAll(/(?:console\.log\(.*\); \/\/|\/\/ prints:) (.*)$/gm), ([, text]) => text);
    expect(said.length).toBeGreaterThan(0);
    expect(stdout.trimEnd().split("\n")).toEqual(said);
  });
});
