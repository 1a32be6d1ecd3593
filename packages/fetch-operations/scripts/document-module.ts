/**
 * Writes copies of modules of `express-operations/document` to `src/generated`, because the published package does not depend on
 * that one. With `--check` it writes nothing, and fails if a copy differs.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const SOURCE = import.meta.resolve("express-operations/document");
const COPIES = {
  "document.ts": "openapi.ts",
  "keywords.ts": "keywords.ts",
  "local-references.ts": "local-references.ts",
  "nested-references.ts": "nested-references.ts",
  "compilable-types.ts": "compilable-types.ts",
  "directions.ts": "directions.ts",
  "discriminator.ts": "discriminator.ts",
  "discriminator-values.ts": "discriminator-values.ts",
  "effective-schema.ts": "effective-schema.ts",
  "inheritance.ts": "inheritance.ts",
};

for (const [module, copy] of Object.entries(COPIES)) {
  const path = join(import.meta.dirname, "../src/generated", copy);
  const source = (await readFile(new URL(module, SOURCE), "utf8")).replace('"./document.ts"', '"./openapi.ts"');
  const text = `// Copied from express-operations/document by \`pnpm generate\`. Do not edit.\n${source}`;
  const isSame = (await readFile(path, "utf8").catch(() => "")) === text;
  if (process.argv.includes("--check") && !isSame) {
    console.error(
      `src/generated/${copy} differs from express-operations/document. Run \`npx -y pnpm@12.21.0 generate\`.`,
    );
    process.exitCode = 1;
  } else if (!isSame) await writeFile(path, text);
}
