/**
 * Writes `src/generated` from what `packages/contract` has generated.
 * With `--check` it writes nothing and fails when what is committed differs, or when another file lies among it.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { GENERATED_FOLDER as CONTRACT_FOLDER, writeOrCheck } from "@platform/contract-tools/generated-files";
import { CONTRACT_FILES, GENERATED_FOLDER, generatedFiles } from "./generated-files.ts";

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const texts = CONTRACT_FILES.map(async (name) => [name, await readFile(join(CONTRACT_FOLDER, name), "utf8")]);
const files = await generatedFiles(Object.fromEntries(await Promise.all(texts)));
await writeOrCheck(files, GENERATED_FOLDER, values.check);
