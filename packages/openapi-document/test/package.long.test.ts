import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type InstalledPackage, installPacked, packagingProblems } from "@platform/test-support/installed-package";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const source = join(import.meta.dirname, "..");

describe("the packed and installed package", () => {
  let installed: InstalledPackage;
  beforeAll(() => {
    installed = installPacked(source, {});
  });
  afterAll(() => installed[Symbol.dispose]());

  test("passes publint and attw", async () => {
    expect(await packagingProblems(installed.tarball, ["./openapi-typescript"])).toEqual([]);
  });

  test("reads a document as the README shows, by import and by require", () => {
    const readme = readFileSync(join(source, "README.md"), "utf8");
    const [, program = "", printed] = /```js\n([^`]*\/\/ (.*)\n)```/.exec(readme)!;
    installed.write("read.mjs", program);
    installed.write("read.cjs", program.replace(/^import (.*) from (.*);/, "const $1 = require($2);"));
    for (const file of ["read.mjs", "read.cjs"])
      expect(execFileSync(process.execPath, [file], { cwd: installed.directory, encoding: "utf8" })).toBe(
        `${printed}\n`,
      );
  });
});
