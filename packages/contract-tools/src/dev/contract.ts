import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import type { bundle } from "openapi-contract/bundle";
import { type ContractChange, contractChanges } from "openapi-contract/comparison";
import { committedContract } from "openapi-contract/sides";
import { generatedFiles, write } from "../generate/generated-files.ts";
import type { ContractProblem } from "openapi-contract/lint";
import { GENERATED_FOLDER, installedFile } from "../paths.ts";
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

/** Returns the path of a file from the root, with slashes. */
export function pathFrom(root: string, file: string): string {
  return relative(root, file).replaceAll("\\", "/");
}

/** Returns the changes since the last committed contract, the most severe first; none if there is no commit. */
export async function changesSinceCommit(document: Document, contractPath: string): Promise<ContractChange[]> {
  const committed = await committedContract("HEAD", contractPath).catch(() => undefined);
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
  const folder = pathFrom(root, GENERATED_FOLDER);
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
      ? [[installedFile(join(root, folder), "fetch-operations/bin/fetch-operations.js"), "generate"]]
      : []),
  ];
}

/** Runs a generator in a new process, because a process loads each module only once. */
async function runGenerator(root: string, { folder }: Package, args: string[], signal: AbortSignal): Promise<void> {
  await promisify(execFile)(process.execPath, args, { cwd: join(root, folder), signal });
}

const GENERATED = /^(?:packages|apps)\/[^/]+\/src\/generated\/[^/]+$/;

/** The generated files, as the generators have left them. */
export class GeneratedFiles {
  readonly #root: string;
  /** The hash of each file by its path from the root. */
  #hashes: Map<string, string>;
  readonly #edited = new Set<string>();
  /** Whether generators run, so that no file can be compared. */
  isGenerating = false;

  constructor(root: string) {
    this.#root = root;
    this.#hashes = this.#read();
  }

  /** Takes the files as the generators have left them, and returns those that have changed. */
  renew(): string[] {
    const before = this.#hashes;
    this.#hashes = this.#read();
    this.#edited.clear();
    this.isGenerating = false;
    return [...this.#hashes].filter(([file, hash]) => before.get(file) !== hash).map(([file]) => file);
  }

  /** Whether a saved file is generated, and as it was left or new. */
  isExpected(file: string): boolean {
    if (!GENERATED.test(file)) return false;
    return this.isGenerating || (!this.#edited.has(file) && !this.#differs(file));
  }

  /** Notes which of the saved files are edited, and returns all that are. */
  edited(saved: Iterable<string>): string[] {
    for (const file of saved) {
      if (this.#differs(file)) this.#edited.add(file);
      else this.#edited.delete(file);
    }
    return [...this.#edited];
  }

  #differs(file: string): boolean {
    const hash = this.#hashes.get(file);
    return hash !== undefined && hash !== hashOf(join(this.#root, file));
  }

  #read(): Map<string, string> {
    const files = globSync("{packages,apps}/*/src/generated/*", { cwd: this.#root });
    return new Map(files.map((file) => [file.replaceAll("\\", "/"), hashOf(join(this.#root, file))]));
  }
}

function hashOf(path: string): string {
  return existsSync(path) ? createHash("sha1").update(readFileSync(path)).digest("hex") : "";
}
