import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundle } from "../src/generate/bundle.ts";
import { generatedFiles, findStaleFiles } from "../src/generate/generated-files.ts";

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
      "not as generated from the contract: openapi.json, schema.ts, operations-with-defaults.ts, names.ts, metadata.ts, code-samples.json.\n",
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
  const script = resolve(import.meta.dirname, "../bin/contract.js");
  return spawnSync(process.execPath, [script, "generate", ...options], { encoding: "utf8" });
}

/** Returns the text of each file of a folder, by file name. */
function contentsOf(folder: string): Record<string, string> {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}
