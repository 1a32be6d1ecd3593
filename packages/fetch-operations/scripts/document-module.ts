/**
 * Writes `src/generated/openapi.ts`, a copy of the module `express-operations/document`, because the published package does not
 * depend on that one. With `--check` it writes nothing, and fails if the copy differs.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const COPY = join(import.meta.dirname, "../src/generated/openapi.ts");
const source = await readFile(fileURLToPath(import.meta.resolve("express-operations/document")), "utf8");
const text = `// Copied from express-operations/document by \`pnpm generate\`. Do not edit.\n${source}`;
const isSame = (await readFile(COPY, "utf8").catch(() => "")) === text;
if (process.argv.includes("--check") && !isSame) {
  console.error(
    "src/generated/openapi.ts differs from express-operations/document. Run `npx -y pnpm@12.21.0 generate`.",
  );
  process.exitCode = 1;
} else if (!isSame) await writeFile(COPY, text);
