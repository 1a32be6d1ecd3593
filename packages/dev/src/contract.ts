import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { bundle } from "@petstore/contract/bundle";
import { type ContractChange, contractChanges } from "@petstore/contract/diff";
import { GENERATED_FOLDER, generatedFiles, write } from "@petstore/contract/generated-files";
import { contractProblems, type ContractProblem } from "@petstore/contract/lint";

/** What came of a contract: the files that had to be written and the bundled document, or what is wrong with it. */
export type Generated = { written: string[]; document: string } | { problems: ContractProblem[] };

/** Lints the contract and writes what follows from it; a contract that breaks a rule changes nothing on disk. */
export async function generateFrom(contractPath: string, signal: AbortSignal): Promise<Generated> {
  const [problems, files] = await Promise.all([
    contractProblems(contractPath, signal),
    bundle(contractPath, signal).then(generatedFiles, (error: unknown) => error as Error),
  ]);
  if (problems.length > 0) return { problems };
  if (files instanceof Error) throw files;
  return { written: await write(files, GENERATED_FOLDER), document: files["openapi.json"]! };
}

/** What the contract changes of the one last committed, or of none when there is no commit; the gravest first. */
export async function changesSinceCommit(
  root: string,
  contractPath: string,
  signal: AbortSignal,
): Promise<ContractChange[]> {
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
