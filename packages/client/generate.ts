/**
 * Writes `src/generated` from what `packages/contract` has generated.
 * With `--check` it writes nothing and fails when what is committed differs.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { document } from "@petstore/contract/document";
import { generatedFiles } from "./generated-files.ts";

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const folder = resolve(import.meta.dirname, "src/generated");
const schema = await readFile(resolve(import.meta.dirname, "../contract/src/generated/schema.ts"), "utf8");

const stale: string[] = [];
for (const [name, text] of Object.entries(await generatedFiles(document, schema))) {
  const file = join(folder, name);
  if ((await readFile(file, "utf8").catch(() => undefined)) === text) continue;
  stale.push(name);
  if (!values.check) await writeFile(file, text);
}
if (values.check && stale.length > 0) {
  console.error(
    `The generated files no longer match the contract: ${stale.join(", ")}.\n` +
      "Run `npx -y pnpm@12.21.0 generate` and commit what it writes.",
  );
  process.exitCode = 1;
} else {
  console.log(stale.length === 0 ? "Generated files match the contract." : `Wrote ${stale.join(", ")}.`);
}
