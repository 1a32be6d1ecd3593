import { execFile, execFileSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { codeSamples } from "@petstore/contract/code-samples";
import { document } from "@petstore/contract/document";
import { startService } from "@petstore/server/testing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { readmePrograms } from "./readme-blocks.ts";

describe("the README and the guides", () => {
  const run = promisify(execFile);
  /** A folder in the package, so that imports by the package's name resolve. */
  const programs = join(import.meta.dirname, "../.turbo/readme");

  beforeAll(() => {
    mkdirSync(programs, { recursive: true });
    for (const { name, code } of readmePrograms) writeFileSync(join(programs, name), code);
    writeFileSync(join(programs, "tsconfig.json"), '{ "extends": "../../tsconfig.json", "include": ["*.ts"] }');
  });
  afterAll(() => rmSync(programs, { recursive: true }));

  test("their examples compile", async () => {
    const compiled = run("tsc", ["-p", programs]).catch((error: { stdout: string }) => error);
    expect((await compiled).stdout).toBe("");
  });

  describe("each example prints the output in its comments", () => {
    test.each(readmePrograms)("$heading", async ({ name, code }) => {
      await using service = await startService();
      const env = { ...process.env, PETSTORE_URL: service.baseUrl, PETSTORE_KEY: service.key };
      const { stdout } = await run(process.execPath, [join(programs, name)], { env });
      const expected = Array.from(
        code.matchAll(/(?:console\.log\(.*\); \/\/|\/\/ prints:) (.*)$/gm),
        ([, text]) => text,
      );
      expect(expected.length).toBeGreaterThan(0);
      expect(stdout.trimEnd().split("\n")).toEqual(expected);
    });
  });
});

describe("the guide to testing", () => {
  const folder = join(import.meta.dirname, "..");
  /** A folder in the package, so that imports by the package's name resolve. */
  const programs = join(folder, ".turbo/readme-testing");
  const guide = readFileSync(join(folder, "docs/guides/testing.md"), "utf8");
  const files = Array.from(guide.matchAll(/^```typescript\n([\s\S]*?)^```/gm), ([, code], index) => {
    const file = join(programs, `${index}.ts`);
    mkdirSync(programs, { recursive: true });
    writeFileSync(file, code!);
    return file;
  });
  afterAll(() => rmSync(programs, { recursive: true }));

  test("its tests compile", async () => {
    expect(files).toHaveLength(2);
    writeFileSync(join(programs, "tsconfig.json"), '{ "extends": "../../tsconfig.json", "include": ["*.ts"] }');
    const compiled = promisify(execFile)("tsc", ["-p", programs]).catch((error: { stdout: string }) => error);
    expect((await compiled).stdout).toBe("");
  });

  // Importing a file declares its tests.
  for (const file of files) describe(`its ${file.slice(-4)}`, () => import(file));
});

describe("code samples", () => {
  const folder = join(import.meta.dirname, "../.turbo/code-samples");

  test("each operation has a sample with the client before one with curl, and the client's compile", () => {
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(Object.keys(codeSamples)).toEqual(operations);
    mkdirSync(folder, { recursive: true });
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const [index, samples] of Object.values(codeSamples).entries()) {
      expect(samples.map(({ label }) => label)).toEqual(["@petstore/client", "curl"]);
      writeFileSync(join(folder, `sample${index}.ts`), samples[0]!.source);
    }
    writeFileSync(
      join(folder, "tsconfig.json"),
      '{ "extends": "../../tsconfig.json", "include": ["*.ts"], "compilerOptions": { "types": ["node"] } }',
    );
    const tsc = join(import.meta.dirname, "../node_modules/typescript/bin/tsc");
    const compile = () => execFileSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" });
    expect(compile()).toBe("");
  });
});

describe("the package", () => {
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
    ]);
  });

  test("the manifest has the changelog's latest version", () => {
    const file = (name: string) => readFileSync(join(import.meta.dirname, "..", name), "utf8");
    const { version } = JSON.parse(file("package.json")) as { version: string };
    expect(/^## (.*)$/m.exec(file("CHANGELOG.md"))?.[1]).toBe(version);
  });
});
