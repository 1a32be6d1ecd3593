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

/** The result of a contract: the written files, the bundled document and its changes; or the problems of the contract. */
export type Generated =
  | { written: string[]; document: string; changes: Promise<ContractChange[]> }
  | { problems: ContractProblem[] };

/**
 * Lints the contract and writes the generated files, in its own package and in the packages that generate from those. A
 * contract with problems changes nothing on disk.
 */
export async function generateFrom(
  root: string,
  contractPath: string,
  packages: Package[],
  signal: AbortSignal,
): Promise<Generated> {
  const bundled = bundle(contractPath, signal);
  const changes = changesSinceCommit(bundled, contractPath);
  changes.catch(() => {}); // a caller that awaits it still gets the error
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

/** Returns the changes since the last committed contract, the most severe first; none if there is no commit. */
async function changesSinceCommit(bundled: ReturnType<typeof bundle>, contractPath: string): Promise<ContractChange[]> {
  const committed = await committedContract("HEAD").catch(() => undefined);
  return committed === undefined ? [] : contractChanges(committed, await bundled, contractPath);
}
