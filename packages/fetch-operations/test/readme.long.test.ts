import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { pack } from "@platform/test-support/pnpm";
import { packagingProblems } from "@platform/test-support/installed-package";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serve } from "./shop.ts";

const run = promisify(execFile);
const source = join(import.meta.dirname, "..");
const readme = readFileSync(join(source, "README.md"), "utf8");
const firstUse = readme.slice(readme.indexOf("## First use"), readme.indexOf("## Errors"));

/** The blocks of the first chapter, each with the file that the sentence before it names. */
const blocks = Array.from(
  firstUse.matchAll(/(?:`([\w./-]+)`[^\n`]*:\n\n)?```(\w+)\n([\s\S]*?)^```/gm),
  ([, file, language, text]) => ({ file, language: language!, text: text! }),
);

/** A newcomer's folder, in which the README is followed as it is printed, with the packed package in place of the published one. */
describe("the README in an empty folder", () => {
  const directory = mkdtempSync(join(tmpdir(), "newcomer-"));
  const tarball = join(directory, "fetch-operations.tgz");
  const documents = join(directory, "openapi-document.tgz");
  let output = "";
  beforeAll(async () => {
    pack(source, tarball);
    pack(join(source, "../openapi-document"), documents);
    await using server = await serve(({ url, headers }, response) => {
      const isKnown = url === "/books/1" && headers.authorization === "Bearer secret";
      response.writeHead(isKnown ? 200 : 404, { "Content-Type": "application/json" });
      response.end(isKnown ? '{"title":"Emma"}' : "");
    });
    for (const { file, language, text } of blocks) {
      if (language === "sh") {
        const commands = text.replace("npm install fetch-operations", `npm install ${documents} ${tarball}`);
        const env = { ...process.env, BOOKSHOP_URL: server.baseUrl };
        ({ stdout: output } = await run("sh", ["-ec", commands], { cwd: directory, env }).catch(
          (error: { stdout: string }) => {
            throw new Error(error.stdout, { cause: error });
          },
        ));
      } else {
        mkdirSync(dirname(join(directory, file!)), { recursive: true });
        writeFileSync(join(directory, file!), text);
      }
    }
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  test("ends with the output of its program, with TypeScript 7 or newer", async () => {
    expect(output.trimEnd().split("\n").at(-1)).toBe("Emma");
    const { stdout } = await run("npx", ["tsc", "--version"], { cwd: directory });
    expect(Number(/^Version (\d+)/.exec(stdout)?.[1])).toBeGreaterThanOrEqual(7);
  });

  test("generates files that --check accepts, and that it rejects after a change", async () => {
    const generate = (...args: string[]) =>
      run("npx", ["fetch-operations", "generate", ...args], { cwd: directory }).then(
        ({ stdout }) => stdout,
        ({ stderr }: { stderr: string }) => stderr,
      );
    expect(readdirSync(join(directory, "src/bookshop"))).toContain("index.ts");
    expect(await generate("--check")).toBe("src/bookshop matches the contract.\n");
    writeFileSync(
      join(directory, "openapi.yaml"),
      blocks.find(({ language }) => language === "yaml")!.text.replaceAll("title:", "name:"),
    );
    expect(await generate("--check")).toMatch(
      /^openapi.yaml|The files in src\/bookshop do not match the contract: schema.ts/,
    );
    expect(await generate("--config", "missing.json")).toMatch(
      /^There is no file .*missing.json. Create it, or name another with --config.\n$/,
    );
  });

  test("installs only openapi-document and openapi-fetch with the runtime", async () => {
    const cwd = mkdtempSync(join(directory, "runtime-"));
    await run("sh", ["-ec", `npm init -y && npm install ${documents} ${tarball}`], { cwd });
    const names = readdirSync(join(cwd, "node_modules")).filter((name) => !name.startsWith("."));
    expect(names).toEqual(["fetch-operations", "openapi-document", "openapi-fetch", "openapi-typescript-helpers"]);
  });

  test("has a package in which publint and attw find no problem", async () => {
    expect(await packagingProblems(tarball, ["./generate", "./node"])).toEqual([]);
  });
});
