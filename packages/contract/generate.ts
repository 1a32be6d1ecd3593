/**
 * Writes `src/generated` from the contract.
 * With `--check` it writes nothing and fails when what is committed differs, or when another file lies among it.
 */
import { readdir } from "node:fs/promises";
import { parseArgs } from "node:util";
import { bundle, CONTRACT_FILE } from "./bundle.ts";
import { GENERATED_FOLDER, generatedFiles, staleAmong, write } from "./generated-files.ts";

const { values } = parseArgs({
  options: {
    check: { type: "boolean", default: false },
    contract: { type: "string", default: CONTRACT_FILE },
    out: { type: "string", default: GENERATED_FOLDER },
  },
});

const files = await generatedFiles(await bundle(values.contract));
const stale = values.check ? await staleAmong(files, values.out) : await write(files, values.out);
if (values.check) {
  const surplus = (await readdir(values.out)).filter((name) => !Object.hasOwn(files, name));
  if (stale.length > 0) {
    fail(
      `The generated files no longer match the contract: ${stale.join(", ")}.\n` +
        "Run `npx -y pnpm@12.21.0 generate` and commit what it writes.",
    );
  }
  if (surplus.length > 0) fail(`Nothing generates ${surplus.join(", ")} in ${values.out}: delete it.`);
}
if (process.exitCode === undefined)
  console.log(stale.length === 0 ? "Generated files match the contract." : `Wrote ${stale.join(", ")}.`);

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
