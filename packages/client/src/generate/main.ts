/**
 * Writes `src/generated` from the files that `packages/contract` generates.
 * With `--check` it writes nothing, and fails if a committed file differs or the folder has an additional file.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { GENERATED_FOLDER as CONTRACT_FOLDER, writeOrCheck } from "@platform/contract-tools/generated-files";
import { copyOfDocumentModule } from "./document-module.ts";

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const documentModule = await readFile(fileURLToPath(import.meta.resolve("express-operations/document")), "utf8");
// The import below loads this file.
if (!values.check)
  await writeFile(join(import.meta.dirname, "../generated/openapi.ts"), copyOfDocumentModule(documentModule));
const { CONTRACT_FILES, GENERATED_FOLDER, generatedFiles } = await import("./generated-files.ts");
const texts = CONTRACT_FILES.map(async (name) => [name, await readFile(join(CONTRACT_FOLDER, name), "utf8")]);
const files = await generatedFiles(Object.fromEntries(await Promise.all(texts)), documentModule);
await writeOrCheck(files, GENERATED_FOLDER, values.check);
