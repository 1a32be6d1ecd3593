import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../src/generate/config.ts";
import { loadContract } from "../src/generate/contract-source.ts";
import { generatedFiles } from "../src/generate/generated-files.ts";
import { findMismatches } from "../src/generate/output.ts";

const folder = join(import.meta.dirname, "library");
const configuration = join(folder, "fetch-operations.config.json");

/** A contract with most features, whose client is kept for comparison. After a change of the generator, generate it again. */
describe(`the client of the library (fetch-operations generate --config ${relative(process.cwd(), configuration)})`, () => {
  test("is as it was generated", async () => {
    const config = await loadConfig(configuration);
    const files = await generatedFiles(await loadContract(config.contract), config);
    for (const [name, text] of Object.entries(files))
      expect(text, name).toBe(await readFile(join(config.output, name), "utf8").catch(() => "no such file"));
    expect(await findMismatches(files, config.output)).toEqual({ stale: [], surplus: [] });
  });
});
