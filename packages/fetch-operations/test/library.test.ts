import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../src/generate/config.ts";
import { loadContract } from "../src/generate/contract-source.ts";
import { generatedFiles } from "../src/generate/generated-files.ts";
import { findMismatches } from "../src/generate/main.ts";

/**
 * A contract with most features, whose client is kept for comparison. After a change of the generator, generate it again in the
 * package's folder, and read the difference:
 *
 *     node bin/fetch-operations.js generate --config test/library/fetch-operations.config.json
 */
test("the client of the library is as it was generated", async () => {
  const config = await loadConfig(join(import.meta.dirname, "library/fetch-operations.config.json"));
  const files = await generatedFiles(await loadContract(config.contract), config);
  for (const [name, text] of Object.entries(files))
    expect(text, name).toBe(await readFile(join(config.output, name), "utf8").catch(() => "no such file"));
  expect(await findMismatches(files, config.output)).toEqual({ stale: [], surplus: [] });
});
