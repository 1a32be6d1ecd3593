import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { bundle } from "@platform/contract-tools/bundle";
import { type ContractChange, contractChanges } from "@platform/contract-tools/comparison";
import { GENERATED_FOLDER, generatedFiles, write } from "@platform/contract-tools/generated-files";
import { contractProblems, type ContractProblem } from "@platform/contract-tools/lint";
import { committedContract } from "@platform/contract-tools/revision";
import { affectedBy, type Package } from "./packages.ts";

/** What came of a contract: the files that had to be written, the bundled document, and what it changes; or what is wrong with it. */
export type Generated =
  | { written: string[]; document: string; changes: Promise<ContractChange[]> }
  | { problems: ContractProblem[] };

/**
 * Lints the contract and writes what follows from it, in its own package and in those that generate from that; a contract
 * that breaks a rule changes nothing on disk.
 */
export async function generateFrom(
  root: string,
  contractPath: string,
  packages: Package[],
  signal: AbortSignal,
): Promise<Generated> {
  const bundled = bundle(contractPath, signal);
  const changes = changesSinceCommit(bundled, contractPath);
  changes.catch(() => {}); // told to whoever awaits it
  const [problems, files] = await Promise.all([
    contractProblems(contractPath, signal),
    bundled.then(generatedFiles, (error: unknown) => error as Error),
  ]);
  if (problems.length > 0) return { problems };
  if (files instanceof Error) throw files;
  const written = await write(files, GENERATED_FOLDER);
  const folder = relative(root, GENERATED_FOLDER);
  const others = affectedBy([`${folder}/`], packages).filter((one) => !folder.startsWith(`${one.folder}/`));
  if (written.length > 0) for (const other of others) await runGenerator(join(root, other.folder), signal);
  return { written, document: files["openapi.json"]!, changes };
}

/** A process of its own each time: a generator reads the contract's generated files as modules, which are loaded once. */
async function runGenerator(folder: string, signal: AbortSignal): Promise<void> {
  const generator = join(folder, "src/generate/main.ts");
  if (existsSync(generator)) await promisify(execFile)(process.execPath, [generator], { cwd: folder, signal });
}

/** What the contract changes of the one last committed, or of none when there is no commit; the most severe first. */
async function changesSinceCommit(bundled: ReturnType<typeof bundle>, contractPath: string): Promise<ContractChange[]> {
  const committed = await committedContract("HEAD").catch(() => undefined);
  return committed === undefined ? [] : contractChanges(committed, await bundled, contractPath);
}
