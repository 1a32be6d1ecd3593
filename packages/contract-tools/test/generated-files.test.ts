import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import type { OpenAPI3 } from "openapi-typescript";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { bundle } from "openapi-contract/bundle";
import { findStaleFiles, generatedFiles, write, writeOrCheck } from "../src/generate/generated-files.ts";
import { ROOT } from "openapi-contract/paths";

const RESPONSES = { "200": { description: "Done." } };

function documentOf(parts: object): OpenAPI3 {
  return { openapi: "3.1.1", info: { title: "Shop", version: "1.2.3" }, paths: {}, ...parts };
}

describe("the generated file", () => {
  test("names.ts has an alias for each schema and operation, and the operationIds by tag", async () => {
    const document = documentOf({
      paths: {
        "/pets": {
          get: { operationId: "listPets", tags: ["Pets", "All"], responses: RESPONSES },
          post: { operationId: "createPet", tags: ["Pets"], responses: RESPONSES },
          delete: { responses: RESPONSES },
        },
        "/ping": { get: { operationId: "ping", responses: RESPONSES } },
      },
      components: { schemas: { Pet: { type: "object" }, PetStatus: { type: "string" } } },
    });
    expect((await generatedFiles(document))["names.ts"])
      .toBe(`// Generated from the contract by \`pnpm generate\`. Do not edit.
import type { InputOf, OutputOf } from "openapi-document";
import type { components, operations } from "./schema.ts";

export type Pet = components["schemas"]["Pet"];
export type PetStatus = components["schemas"]["PetStatus"];

export type ListPetsInput = InputOf<operations["listPets"]>;
export type ListPetsOutput = OutputOf<operations["listPets"]>;
export type CreatePetInput = InputOf<operations["createPet"]>;
export type CreatePetOutput = OutputOf<operations["createPet"]>;
export type PingInput = InputOf<operations["ping"]>;
export type PingOutput = OutputOf<operations["ping"]>;

/** The operationIds of each tag. */
export interface OperationIdsByTag {
  "Pets": "listPets" | "createPet";
  "pets": "DELETE /pets";
  "ping": "ping";
}
`);
  });

  test("names.ts has no schemas for a contract without components", async () => {
    expect((await generatedFiles(documentOf({})))["names.ts"]).not.toContain("schemas");
  });

  test("metadata.ts has every required scope once", async () => {
    const secured = (operationId: string, ...security: object[]) => ({ operationId, responses: RESPONSES, security });
    const document = documentOf({
      security: [{ bearer: ["pets:read"] }],
      paths: {
        "/pets": {
          get: { operationId: "listPets", responses: RESPONSES },
          post: secured("createPet", { bearer: ["pets:write", "pets:read"] }, { other: ["admin"] }),
        },
        "/ping": { get: secured("ping") },
      },
    });
    expect((await generatedFiles(document))["metadata.ts"]).toContain(
      'export const scopes = ["pets:read", "pets:write", "admin"] as const;',
    );
    expect((await generatedFiles(documentOf({})))["metadata.ts"]).toContain("export const scopes = [] as const;");
  });

  test("metadata.ts has the version, and a hash that does not depend on the servers", async () => {
    const at = async (url: string, title = "Shop") =>
      (await generatedFiles(documentOf({ servers: [{ url }], info: { title, version: "1.2.3" } })))["metadata.ts"]!;
    const metadata = await at("https://a.example/v1");
    expect(metadata).toBe(`// Generated from the contract by \`pnpm generate\`. Do not edit.

/** \`info.version\` of the contract. */
export const version = "1.2.3";

/** SHA-256 of the bundled document (\`openapi.json\`) without its \`servers\`, in hexadecimal. */
export const hash = "5b1a2e26907d87a747f3b17fc79a33a4dd0b1f82efe97d14689dfa2d7fbb72e1";

/** The scopes that the operations of the contract require. */
export const scopes = [] as const;

/** The path of the first server of the contract, below which the service serves its operations. */
export const basePath = "/v1";

/** Commands that try operations: \`{url}\` stands for the base URL, \`{key}\` for an API key, \`$TOKEN\` for a token. */
export const curlExamples: readonly string[] = [];
`);
    expect(await at("https://b.example/v1")).toBe(metadata);
    expect(await at("https://a.example/v1", "Store")).not.toBe(metadata);
  });

  test("openapi.json is the document; a default makes an input required in operations-with-defaults.ts only", async () => {
    const parameters = [{ name: "limit", in: "query", schema: { type: "integer", default: 20 } }];
    const document = documentOf({
      paths: { "/pets": { get: { operationId: "listPets", parameters, responses: RESPONSES } } },
    });
    const files = await generatedFiles(document);
    expect(files["openapi.json"]).toBe(`${JSON.stringify(document, null, 2)}\n`);
    expect(files["schema.ts"]).toMatch(
      /^\/\/ Generated from the contract by `pnpm generate`\. Do not edit\.\n\n(.|\n)*\n +\/\*\* @description Default: 20\. \*\/\n +limit\?: number;\n/,
    );
    expect(files["operations-with-defaults.ts"]).toMatch(/\n +limit: number;\n/);
  });
});

describe("files in a folder", () => {
  let folder: string;
  const printed: Record<"log" | "error", string[]> = { log: [], error: [] };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "generated-"));
    for (const kind of ["log", "error"] as const) {
      printed[kind] = [];
      vi.spyOn(console, kind).mockImplementation((text: string) => void printed[kind].push(text));
    }
    onTestFinished(() => {
      vi.restoreAllMocks();
      process.exitCode = undefined;
      rmSync(folder, { recursive: true });
    });
  });
  const files = { "a.ts": "a\n", "b.ts": "b\n" };

  test("are written and named if they differ", async () => {
    writeFileSync(join(folder, "a.ts"), "a\n");
    expect(await findStaleFiles(files, folder)).toEqual(["b.ts"]);
    expect(await write(files, folder)).toEqual(["b.ts"]);
    expect(readFileSync(join(folder, "b.ts"), "utf8")).toBe("b\n");
    expect(await write(files, folder)).toEqual([]);
    expect(await findStaleFiles({ ...files, "a.ts": "c\n" }, folder)).toEqual(["a.ts"]);
  });

  test("are written with a message", async () => {
    await writeOrCheck(files, folder, false);
    await writeOrCheck(files, folder, false);
    expect(printed).toEqual({ log: ["Wrote a.ts, b.ts.", "Generated files match the contract."], error: [] });
    expect(process.exitCode).toBeUndefined();
  });

  test("are only compared by a check, which fails for different and surplus files", async () => {
    writeFileSync(join(folder, "c.ts"), "");
    await writeOrCheck(files, folder, true);
    expect(printed).toEqual({
      log: [],
      error: [
        `These files in ${relative(ROOT, folder)} are not as generated from the contract: a.ts, b.ts.\nRun \`npx -y pnpm@12.21.0 generate\`, which overwrites them, and commit the result.`,
        `Not a generated file: c.ts in ${folder}. Delete it.`,
      ],
    });
    expect(process.exitCode).toBe(1);
    expect(readdirSync(folder)).toEqual(["c.ts"]);
  });

  test("pass a check if they match the contract", async () => {
    await write(files, folder);
    await writeOrCheck(files, folder, true);
    expect(printed).toEqual({ log: ["Generated files match the contract."], error: [] });
    expect(process.exitCode).toBeUndefined();
  });
});

const contract = resolve(import.meta.dirname, "../../../openapi/openapi.yaml");
const committed = resolve(import.meta.dirname, "../../contract/src/generated");
let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "generate-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

describe("generate", () => {
  test("writes the committed files", () => {
    const written = join(directory, "written");
    mkdirSync(written);
    expect(generate("--generated", written).status).toBe(0);
    expect(contentsOf(written)).toEqual(contentsOf(committed));
  });

  test("--check fails if the contract has changed, names each file and the command to run, and writes nothing", () => {
    const changed = join(directory, "changed.yaml");
    const text = readFileSync(contract, "utf8");
    writeFileSync(changed, text.replaceAll("listPets", "listAnimals"));
    const before = contentsOf(committed);
    const { status, stdout, stderr } = generate("--check", "--contract", changed);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(
      "not as generated from the contract: openapi.json, schema.ts, operations-with-defaults.ts, names.ts, metadata.ts, code-samples.json, changelog.json.\n",
    );
    expect(stderr).toContain("npx -y pnpm@12.21.0 generate");
    expect(contentsOf(committed)).toEqual(before);
  });

  test("only the files that contain an enum are stale after the enum changes", async () => {
    const changed = join(directory, "changed-enum.yaml");
    const text = readFileSync(contract, "utf8");
    writeFileSync(changed, text.replace("enum: [available, pending, sold]", "enum: [available, pending, sold, lost]"));
    const files = await generatedFiles(await bundle(changed));
    expect(await findStaleFiles(files, committed)).toEqual([
      "openapi.json",
      "schema.ts",
      "operations-with-defaults.ts",
      "metadata.ts",
    ]);
  });

  test("--check fails for a file that is not generated, and names the file", () => {
    const surplus = join(directory, "surplus");
    cpSync(committed, surplus, { recursive: true });
    writeFileSync(join(surplus, "old.ts"), "");
    const { status, stdout, stderr } = generate("--check", "--generated", surplus);
    expect([status, stdout, stderr]).toEqual([1, "", `Not a generated file: old.ts in ${surplus}. Delete it.\n`]);
  });
});

function generate(...options: string[]) {
  const script = resolve(import.meta.dirname, "../src/contract.ts");
  return spawnSync(process.execPath, [script, "generate", ...options], { encoding: "utf8" });
}

/** Returns the text of each file of a folder, by file name. */
function contentsOf(folder: string): Record<string, string> {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}
