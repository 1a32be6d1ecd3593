/**
 * Writes `src/generated` from what `packages/contract` has generated.
 * With `--check` it writes nothing and fails when what is committed differs, or when another file lies among it.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { GENERATED_FOLDER as CONTRACT_FOLDER, writeOrCheck } from "@platform/contract-tools/generated-files";
import { copiedReading } from "./copied-reading.ts";

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const reading = await readFile(fileURLToPath(import.meta.resolve("express-operations/document")), "utf8");
if (!values.check) await writeFile(join(import.meta.dirname, "../generated/openapi.ts"), copiedReading(reading)); // which the rest is made with
const { CONTRACT_FILES, GENERATED_FOLDER, generatedFiles } = await import("./generated-files.ts");
const texts = CONTRACT_FILES.map(async (name) => [name, await readFile(join(CONTRACT_FOLDER, name), "utf8")]);
const files = await generatedFiles(Object.fromEntries(await Promise.all(texts)), reading);
await writeOrCheck(files, GENERATED_FOLDER, values.check);
