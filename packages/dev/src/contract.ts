import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { bundle } from "@petstore/contract/bundle";
import { type ContractChange, contractChanges } from "@petstore/contract/diff";
import { GENERATED_FOLDER, generatedFiles, write } from "@petstore/contract/generated-files";
import { contractProblems, type ContractProblem } from "@petstore/contract/lint";
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
  const changes = bundled.then(() => changesSinceCommit(root, contractPath, signal)); // while a processor has nothing to do
  changes.catch(() => {}); // told to whoever awaits it
  const [problems, files] = await Promise.all([
    contractProblems(contractPath, signal),
    bundled.then(generatedFiles, (error: unknown) => error as Error),
  ]);
  if (problems.length > 0) return { problems };
  if (files instanceof Error) throw files;
  const written = await write(files, GENERATED_FOLDER);
  const folder = relative(root, GENERATED_FOLDER);
  const others = affectedBy([join(folder, "schema.ts")], packages).filter(
    (one) => !folder.startsWith(`${one.folder}/`),
  );
  for (const other of others) if (written.length > 0) await runGenerator(join(root, other.folder), signal);
  return { written, document: files["openapi.json"]!, changes };
}

/** A process of its own each time: a generator reads the contract's generated files as modules, which are loaded once. */
async function runGenerator(folder: string, signal: AbortSignal): Promise<void> {
  const generator = join(folder, "generate.ts");
  if (existsSync(generator)) await promisify(execFile)(process.execPath, [generator], { cwd: folder, signal });
}

/** What the contract changes of the one last committed, or of none when there is no commit; the gravest first. */
async function changesSinceCommit(root: string, contractPath: string, signal: AbortSignal): Promise<ContractChange[]> {
  const committed = await committedDocument(root);
  if (committed === undefined) return [];
  const folder = await mkdtemp(join(tmpdir(), "committed-"));
  try {
    const file = join(folder, "openapi.json");
    await writeFile(file, committed);
    return await contractChanges(file, contractPath, signal);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The bundled document is committed with the contract, and it is whole. */
async function committedDocument(root: string): Promise<string | undefined> {
  const path = "HEAD:./packages/contract/src/generated/openapi.json";
  return promisify(execFile)("git", ["-C", root, "show", path], { maxBuffer: 2 ** 28 }).then(
    ({ stdout }) => stdout,
    () => undefined,
  );
}
