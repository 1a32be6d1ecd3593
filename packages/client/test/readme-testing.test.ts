import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";

const folder = join(import.meta.dirname, "..");
/** A folder in the package, so that imports by the package's name resolve. */
const programs = join(folder, ".turbo/readme-testing");
const [, section = ""] = /^## Testing\n([\s\S]*?)^## /m.exec(readFileSync(join(folder, "README.md"), "utf8")) ?? [];
const files = Array.from(section.matchAll(/^```typescript\n([\s\S]*?)^```/gm), ([, code], index) => {
  const file = join(programs, `${index}.ts`);
  mkdirSync(programs, { recursive: true });
  writeFileSync(file, code!);
  return file;
});
afterAll(() => rmSync(programs, { recursive: true }));

test("the README's tests compile", async () => {
  expect(files).toHaveLength(2);
  writeFileSync(join(programs, "tsconfig.json"), '{ "extends": "../../tsconfig.json", "include": ["*.ts"] }');
  const compiled = promisify(execFile)("tsc", ["-p", programs]).catch((error: { stdout: string }) => error);
  expect((await compiled).stdout).toBe("");
});

// Importing a file declares its tests.
for (const file of files) describe(`the README's ${file.slice(-4)}`, () => import(file));
