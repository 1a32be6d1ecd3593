import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "..");

test("the build imports nothing of Node or of this repository, and only each entry point's own dependencies", () => {
  const out = mkdtempSync(join(tmpdir(), "client-"));
  try {
    const tsc = join(folder, "node_modules/typescript/bin/tsc");
    execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", out], { cwd: folder });
    const imports = (pattern: string) =>
      globSync(pattern, { cwd: out }).flatMap((file) =>
        Array.from(
          readFileSync(join(out, file), "utf8").matchAll(/(?:from |import\()"([^."][^"]*)"/g),
          ([, name]) => `${name} in ${file}`,
        ),
      );
    expect(new Set(imports("**/*.js"))).toEqual(
      new Set([
        "fetch-operations in generated/api.js",
        "fetch-operations in generated/client.js",
        "fetch-operations in generated/operations.js",
        "fetch-operations in index.js",
        "fetch-operations in operations.js",
        "fetch-operations/contract-check in generated/contract-check.js",
        "fetch-operations/react-query in generated/queries.js",
        "fetch-operations/testing in generated/testing.js",
        "fetch-operations/validation in validation.js",
      ]),
    );
    const own = imports("**/*.d.ts").filter((line) => !/^fetch-operations(\/[a-z-]+)? in /.test(line));
    expect(own).toEqual([]);
  } finally {
    rmSync(out, { recursive: true });
  }
});

test("the editor shows an operation's description and its deprecation", () => {
  const calls = readFileSync(join(folder, "src/generated/calls.ts"), "utf8");
  const documented =
    /\/\*\*\n +\* Fetch one animal\n(?: +\*.*\n)* +\* @deprecated Will be removed on 2030-12-05\. Use `listPets`\.\n +\*\/\n +(.*)/g;
  expect(Array.from(calls.matchAll(documented), ([, declaration]) => declaration)).toEqual([
    "getPet: (input: GetPetInput, options?: CallOptions) => CallOf<GetPetResult>;",
    '(path: "/pets/{petId}", init: Params<paths["/pets/{petId}"]["get"]> & CallOptions): CallOf<GetPetResult>;',
  ]);
});

test("the manifest has the changelog's latest version", () => {
  const file = (name: string) => readFileSync(join(import.meta.dirname, "..", name), "utf8");
  const { version } = JSON.parse(file("package.json")) as { version: string };
  expect(/^## (.*)$/m.exec(file("CHANGELOG.md"))?.[1]).toBe(version);
});
