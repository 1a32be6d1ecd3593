import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const contract = resolve(import.meta.dirname, "../../../openapi/openapi.yaml");
const committed = resolve(import.meta.dirname, "../src/generated");
let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "generate-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

describe("generate", { timeout: 30_000 }, () => {
  test("writes what is committed", () => {
    expect(generate("--out", directory).status).toBe(0);
    const written = readdirSync(directory);
    expect(written).toEqual(readdirSync(committed));
    for (const name of written) {
      expect(readFileSync(join(directory, name), "utf8"), name).toBe(readFileSync(join(committed, name), "utf8"));
    }
  });

  test("--check fails when the contract has changed, names the files and the command to run, and writes nothing", () => {
    const changed = join(directory, "changed.yaml");
    writeFileSync(changed, readFileSync(contract, "utf8").replace("maximum: 100", "maximum: 50"));
    const before = readFileSync(join(committed, "openapi.json"), "utf8");
    const { status, stderr } = generate("--check", "--contract", changed);
    expect(status).toBe(1);
    expect(stderr).toContain("openapi.json");
    expect(stderr).toContain("npx -y pnpm@12.21.0 generate");
    expect(readFileSync(join(committed, "openapi.json"), "utf8")).toBe(before);
  });
});

function generate(...options: string[]) {
  const script = resolve(import.meta.dirname, "../generate.ts");
  return spawnSync(process.execPath, [script, ...options], { encoding: "utf8" });
}
