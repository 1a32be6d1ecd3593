/**
 * Writes `src/generated` from what `packages/contract` has generated.
 * With `--check` it writes nothing and fails when what is committed differs.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { GENERATED_FOLDER as CONTRACT_FOLDER, staleAmong, write } from "@petstore/contract/generated-files";
import { CONTRACT_FILES, GENERATED_FOLDER, generatedFiles } from "./generated-files.ts";

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const texts = CONTRACT_FILES.map(async (name) => [name, await readFile(join(CONTRACT_FOLDER, name), "utf8")]);
const files = await generatedFiles(Object.fromEntries(await Promise.all(texts)));
const stale = values.check ? await staleAmong(files, GENERATED_FOLDER) : await write(files, GENERATED_FOLDER);
if (values.check && stale.length > 0) {
  console.error(
    `The generated files no longer match the contract: ${stale.join(", ")}.\n` +
      "Run `npx -y pnpm@12.21.0 generate` and commit what it writes.",
  );
  process.exitCode = 1;
} else {
  console.log(stale.length === 0 ? "Generated files match the contract." : `Wrote ${stale.join(", ")}.`);
}
