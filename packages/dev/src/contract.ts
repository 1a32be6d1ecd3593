import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import type { bundle } from "@platform/contract-tools/bundle";
import { type ContractChange, contractChanges } from "@platform/contract-tools/comparison";
import { GENERATED_FOLDER, generatedFiles, write } from "@platform/contract-tools/generated-files";
import { committedContract } from "@platform/contract-tools/revision";
import { affectedBy, type Package } from "./packages.ts";

type Document = Awaited<ReturnType<typeof bundle>>;

/** Returns the changes since the last committed contract, the most severe first; none if there is no commit. */
export async function changesSinceCommit(document: Document, contractPath: string): Promise<ContractChange[]> {
  const committed = await committedContract("HEAD").catch(() => undefined);
  return committed === undefined ? [] : contractChanges(committed, document, contractPath);
}

/**
 * Writes the generated files that differ, in the contract's package and in the packages that generate from those. Returns the
 * names of the former.
 */
export async function generateFrom(
  document: Document,
  root: string,
  packages: Package[],
  signal: AbortSignal,
): Promise<string[]> {
  const written = await write(await generatedFiles(document), GENERATED_FOLDER);
  const folder = relative(root, GENERATED_FOLDER);
  const others = affectedBy([`${folder}/`], packages).filter((one) => !folder.startsWith(`${one.folder}/`));
  if (written.length > 0) for (const other of others) await runGenerator(join(root, other.folder), signal);
  return written;
}

/**
 * Runs the generator of a package, its own one or that of clients, in a new process, because a process loads each module only
 * once.
 */
async function runGenerator(folder: string, signal: AbortSignal): Promise<void> {
  const run = (file: string, ...args: string[]) =>
    promisify(execFile)(process.execPath, [join(folder, file), ...args], { cwd: folder, signal });
  if (existsSync(join(folder, "src/generate/main.ts"))) await run("src/generate/main.ts");
  if (existsSync(join(folder, "fetch-operations.config.json")))
    await run("node_modules/fetch-operations/bin/fetch-operations.js", "generate");
}
