import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const run = promisify(execFile);
const program = join(import.meta.dirname, "../bin/fetch-operations.js");

const CONTRACT = `openapi: 3.1.1
info: { title: Things, version: 1.0.0 }
paths:
  /things:
    get:
      operationId: listThings
      responses: { 200: { description: "", content: { application/json: { schema: { $ref: "things.yaml#/Things" } } } } }
`;
const THINGS =
  "Things: { type: array, items: { type: object, required: [id], properties: { id: { type: integer } } } }\n";

describe("fetch-operations generate", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "generate-"));
    write("openapi.yaml", CONTRACT);
    write("things.yaml", THINGS);
    write("fetch-operations.config.json", { contract: "openapi.yaml", output: "client", name: "Things" });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (file: string, content: string | object) =>
    writeFileSync(join(folder, file), typeof content === "string" ? content : JSON.stringify(content));
  /** Returns what the command prints, and its exit code unless it is 0. */
  const generate = (...args: string[]) =>
    run(process.execPath, [program, "generate", ...args], { cwd: folder }).then(
      ({ stdout }) => stdout,
      ({ stderr, code }: { stderr: string; code: number }) => `${code}: ${stderr}`,
    );

  test("bundles a contract of several files", async () => {
    expect(await generate()).toMatch(/^Wrote schema\.ts, .*index\.ts in client\.\n$/);
    expect(readFileSync(join(folder, "client/schema.ts"), "utf8")).toMatch(/id: number/);
    expect(await generate()).toBe("client matches the contract.\n");
    expect(await generate("--check")).toBe("client matches the contract.\n");
    write("client/index.ts", "");
    const problem = "The files in client do not match the contract: index.ts. Generate them again.";
    expect(await generate("--check")).toBe(`1: ${problem}\n`);
    expect(readFileSync(join(folder, "client/index.ts"), "utf8")).toBe("");
  });

  test("writes several clients of one configuration, each in its own folder", async () => {
    const client = { contract: "openapi.yaml", output: "client", name: "Things" };
    write("fetch-operations.config.json", [client, { ...client, output: "other", name: "Others" }]);
    expect(await generate()).toMatch(/^Wrote .* in client\.\nWrote .* in other\.\n$/);
    expect(readFileSync(join(folder, "other/index.ts"), "utf8")).toContain("createOthers");
    write("other/index.ts", "");
    expect(await generate("--check")).toContain("1: The files in other do not match the contract: index.ts.");
    write("fetch-operations.config.json", [client, client]);
    expect(await generate()).toMatch(
      /^1: Two clients in .* have the outputs .*client and .*client, .*\. Name another folder\.\n$/,
    );
    write("fetch-operations.config.json", []);
    expect(await generate()).toContain("has no configuration.");
  });

  test("shows how it is used, and refuses another command or option", async () => {
    const usage = "Usage: fetch-operations generate [options]\n\nWrites a typed client";
    const printed = (...args: string[]) =>
      run(process.execPath, [program, ...args], { cwd: folder }).then(
        ({ stdout }) => stdout,
        ({ stderr, code }: { stderr: string; code: number }) => `${code}: ${stderr}`,
      );
    expect(await printed()).toContain(`2: ${usage}`);
    expect(await printed("make", "it\u001b[2J\u202e")).toBe(
      "2: error: unknown command 'make it\\u001b[2J\\u202e'\nAdd --help to see the usage.\n",
    );
    expect(await printed("generate", "--lost")).toMatch(/^2: error: Unknown option '--lost'.*\nAdd --help/);
  });

  test("deletes a generated file that is no longer needed, and no other", async () => {
    write("fetch-operations.config.json", {
      contract: "openapi.yaml",
      output: "client",
      name: "Things",
      features: ["testing"],
    });
    await generate();
    write("client/mine.ts", "export {};\n");
    write("fetch-operations.config.json", { contract: "openapi.yaml", output: "client", name: "Things" });
    expect(await generate("--check")).toBe(
      "1: client has files that are not generated: document.ts, mine.ts, testing.ts. Delete them.\n",
    );
    await generate();
    const files = readdirSync(join(folder, "client"));
    expect(files).toContain("mine.ts");
    expect(files).not.toContain("testing.ts");
  });

  test("--watch generates again after a change of a file of the contract, and reports a mistake", async () => {
    mkdirSync(join(folder, "own"));
    write("own/config.json", { contract: "../openapi.yaml", output: "../client", name: "Things" });
    const args = [program, "generate", "--watch", "--config", "own/config.json"];
    const watcher = spawn(process.execPath, args, { cwd: folder });
    let output = "";
    for (const stream of [watcher.stdout, watcher.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
    const printed = async (text: string, change: () => void = () => {}) => {
      output = "";
      change();
      while (!output.includes(text)) await Promise.race([once(watcher.stdout, "data"), once(watcher.stderr, "data")]);
    };
    try {
      await printed("Watching the contract.");
      mkdirSync(join(folder, "parts"));
      write("parts/things.yaml", THINGS);
      await printed("client matches", () =>
        write("openapi.yaml", CONTRACT.replace("things.yaml", "parts/things.yaml")),
      );
      await printed("Wrote schema.ts", () => write("parts/things.yaml", THINGS.replace("integer", "boolean")));
      await printed("Wrote schema.ts", () => write("openapi.yaml", CONTRACT));
      await printed("Wrote schema.ts in client.", () => write("things.yaml", THINGS.replace("integer", "string")));
      await printed("cannot be read", () => write("openapi.yaml", "{"));
      await printed("client matches the contract.", () => write("openapi.yaml", CONTRACT));
      expect(readFileSync(join(folder, "client/schema.ts"), "utf8")).toMatch(/id: string/);
      await printed("in other.", () =>
        write("own/config.json", { contract: "../openapi.yaml", output: "../other", name: "Things" }),
      );
    } finally {
      watcher.kill();
      await once(watcher, "close");
    }
  });

  test("writes schemas of Zod beside the configuration of another client of @hey-api/openapi-ts", async () => {
    const client = { contract: "openapi.yaml", output: "client", name: "Things", features: ["zod"] };
    write("fetch-operations.config.json", client);
    write("openapi-ts.config.mjs", "export default { dryRun: true };");
    expect(await generate()).toContain(", zod.ts in client.");
    expect(readFileSync(join(folder, "client/zod.ts"), "utf8")).toContain("zThings");
  });

  test("takes a module as its configuration", async () => {
    write("config.mjs", 'export default { contract: "openapi.yaml", output: "other", name: "Things" };');
    expect(await generate("--config", "config.mjs")).toMatch(/ in other\.\n$/);
  });

  test("names the line of an operation that it refuses, and of the file that cannot be read", async () => {
    write(
      "openapi.yaml",
      `${CONTRACT}    trace:\n      operationId: trace\n      responses: { 200: { description: "" } }\n`,
    );
    expect(await generate()).toBe(
      `1: ${join(folder, "openapi.yaml")}:8: trace has the method TRACE, which \`fetch\` does not send.\n`,
    );
    write("openapi.yaml", CONTRACT.replace("things.yaml", "lost.yaml"));
    expect(await generate()).toMatch(/^1: .*openapi\.yaml cannot be read: .*lost\.yaml/);
    write("openapi.yaml", "swagger: '2.0'\n");
    expect(await generate()).toMatch(/^1: .*openapi\.yaml (?:cannot be read|is not an OpenAPI document)/);
  });

  test.each<[config: object | string, message: string]>([
    [
      { contract: "openapi.yaml", output: "client", name: "things" },
      'The setting "name" in fetch-operations.config.json is "things". Write a name such as "Bookshop".',
    ],
    [
      { contract: "openapi.yaml", output: "client", name: "Things", operations: { lost: false } },
      'The configuration names the operation "lost", which the contract does not have.',
    ],
    ["{", "fetch-operations.config.json is not JSON: "],
  ])("rejects the configuration %j", async (config, message) => {
    write("fetch-operations.config.json", config);
    const printed = await generate();
    expect(printed).toContain(message);
    expect(printed).not.toContain("    at "); // no stack
  });
});
