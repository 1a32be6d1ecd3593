/**
 * Writes `src/generated` from the contract.
 * With `--check` it writes nothing and fails when what is committed differs, or when another file lies among it.
 */
import { parseArgs } from "node:util";
import { bundle, CONTRACT_FILE } from "./bundle.ts";
import { GENERATED_FOLDER, generatedFiles, writeOrCheck } from "./generated-files.ts";

const { values } = parseArgs({
  options: {
    check: { type: "boolean", default: false },
    contract: { type: "string", default: CONTRACT_FILE },
    out: { type: "string", default: GENERATED_FOLDER },
  },
});

await writeOrCheck(await generatedFiles(await bundle(values.contract)), values.out, values.check);
