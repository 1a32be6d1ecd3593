import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import type { bundle } from "@platform/contract-tools/bundle";
import { contractFiles } from "@platform/contract-tools/contract-files";
import { committedContract, type ContractChange, contractChanges } from "@platform/contract-tools/comparison";
import { GENERATED_FOLDER, generatedFiles, write } from "@platform/contract-tools/generated-files";
import type { ContractProblem } from "@platform/contract-tools/lint";
import { affectedBy, type Package } from "./packages.ts";

type Document = Awaited<ReturnType<typeof bundle>>;

/** A contract without faults. */
export interface Contract {
  document: Document;
  /** The changes since the last commit. */
  changes: ContractChange[];
  /** The broken rules of style, and the warnings. */
  problems: ContractProblem[];
}

/** Returns the files of a contract by path from the root: itself and all that it refers to. Only itself if one cannot be read. */
export function filesOf(contractPath: string, root: string): string[] {
  try {
    return contractFiles(contractPath).sources.map((file) => relative(root, file).replaceAll("\\", "/"));
  } catch {
    return [relative(root, contractPath).replaceAll("\\", "/")];
  }
}

/** Returns the changes since the last committed contract, the most severe first; none if there is no commit. */
export async function changesSinceCommit(document: Document, contractPath: string): Promise<ContractChange[]> {
  const committed = await committedContract("HEAD").catch(() => undefined);
  return committed === undefined ? [] : contractChanges(committed, document, contractPath);
}

/** The generation after a change of the contract. */
export interface Generation {
  /** The names of the written files of the contract's package. */
  written: string[];
  /** The packages that generate from those files, if their generators run. */
  derived: Package[];
  /** Resolves once these packages have generated, too. */
  done: Promise<void>;
}

/** Writes the generated files that differ, then runs the generators of other packages if one differed, or with `isForced`. */
export async function generateFrom(
  document: Document,
  root: string,
  packages: Package[],
  { signal, isForced }: { signal: AbortSignal; isForced: boolean },
): Promise<Generation> {
  const written = await write(await generatedFiles(document), GENERATED_FOLDER);
  const folder = relative(root, GENERATED_FOLDER).replaceAll("\\", "/");
  const derived = affectedBy([`${folder}/`], packages).filter(
    (one) => !folder.startsWith(`${one.folder}/`) && generatorsOf(root, one).length > 0,
  );
  if (written.length === 0 && !isForced) return { written, derived: [], done: Promise.resolve() };
  const done = (async () => {
    for (const one of derived) for (const args of generatorsOf(root, one)) await runGenerator(root, one, args, signal);
  })();
  done.catch(() => {}); // a caller that awaits it still gets the error
  return { written, derived, done };
}

/** Returns the commands that generate the files of a package: its own one, and that of clients. */
function generatorsOf(root: string, { folder }: Package): string[][] {
  const has = (file: string): boolean => existsSync(join(root, folder, file));
  return [
    ...(has("src/generate/main.ts") ? [["src/generate/main.ts"]] : []),
    ...(has("fetch-operations.config.json")
      ? [["node_modules/fetch-operations/bin/fetch-operations.js", "generate"]]
      : []),
  ];
}

/** Runs a generator in a new process, because a process loads each module only once. */
async function runGenerator(root: string, { folder }: Package, args: string[], signal: AbortSignal): Promise<void> {
  await promisify(execFile)(process.execPath, args, { cwd: join(root, folder), signal });
}
