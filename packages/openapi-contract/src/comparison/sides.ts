import { execFile } from "node:child_process";
import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { bundle, type BundledDocument } from "../bundle.ts";

/** One side of a comparison. */
export interface Side {
  document: BundledDocument;
  /** The file with its text; absent for one that is elsewhere. */
  file?: string;
}

/** The longest wait for a contract from a URL, in milliseconds. */
const TIMEOUT = 30_000;

/** The largest file from a URL, in bytes. */
const MAX_BYTES = 2 ** 26;

/** The contract in a folder: beside its name, or as in this repository. */
const IN_FOLDER = ["openapi.yaml", "openapi.yml", "openapi.json"].flatMap((name) => [name, `openapi/${name}`]);

/**
 * Returns the contract that a word names: a file, a folder with a contract, the URL of a contract or of a service that serves it as
 * `/openapi.json`, or the file `contract` at a git revision. Returns undefined for a revision without the file. Rejects with
 * what is missing otherwise.
 */
export async function contractAt(word: string, contract: string): Promise<Side | undefined> {
  if (isUrl(word)) return { document: await contractAtUrl(word) };
  const file = fileAt(word);
  if (file !== undefined) return { document: await bundle(file), file };
  try {
    return { document: await committedContract(word, contract) };
  } catch (error) {
    if (await isAbsent(word, contract)) return undefined;
    if (existsSync(word)) throw new Error(`The folder ${word} has no openapi.yaml or openapi.json.`, { cause: error });
    if (/\.(ya?ml|json)$/i.test(word)) throw new Error(`There is no file ${word}.`, { cause: error });
    throw error;
  }
}

/** Whether `contractAt` takes a word for a git revision. */
export function isRevision(word: string): boolean {
  return !isUrl(word) && fileAt(word) === undefined;
}

function isUrl(word: string): boolean {
  return /^https?:\/\//i.test(word);
}

/** A folder without a contract may have the name of a branch. */
function fileAt(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  if (!statSync(path).isDirectory()) return path;
  return IN_FOLDER.map((name) => join(path, name)).find((file) => existsSync(file));
}

/** Returns a contract with its files as they are at a git revision. Rejects with the revision and git's message if there is none. */
export async function committedContract(revision: string, contract: string): Promise<BundledDocument> {
  const { folder, file } = placeInGit(contract);
  const read = async (path: string) => {
    const object = `${revision}:./${relative(folder, path).replaceAll("\\", "/")}`;
    const stdout = await git(folder, "show", "--end-of-options", object).catch((error: unknown) => {
      const { stderr = String(error) } = error as { stderr?: string };
      const what = path === file ? "contract" : `file ${relative(folder, path)}`;
      throw new Error(`The git revision ${revision} has no ${what}: ${stderr.trim()}`, { cause: error });
    });
    return stdout;
  };
  return bundle(file, { read });
}

/** Whether a git revision exists without the file. */
async function isAbsent(revision: string, contract: string): Promise<boolean> {
  const { folder, file } = placeInGit(contract);
  const path = relative(folder, file).replaceAll("\\", "/");
  return git(folder, "ls-tree", "--name-only", "--end-of-options", revision, path).then(
    (found) => found === "",
    () => false,
  );
}

/** Returns the nearest folder of a file that exists, and the file in it: a revision may have folders that are gone. */
function placeInGit(path: string): { folder: string; file: string } {
  let folder = dirname(path);
  while (!existsSync(folder)) folder = dirname(folder);
  return { folder: realpathSync(folder), file: join(realpathSync(folder), relative(folder, path)) };
}

/** Returns what git prints in a folder. Rejects with git's message as `stderr`. */
export async function git(folder: string, ...words: string[]): Promise<string> {
  return (await promisify(execFile)("git", ["-C", folder, ...words], { maxBuffer: 2 ** 28 })).stdout;
}

/** Reads a contract from a URL. Its references may lead to files of the same host. */
async function contractAtUrl(url: string): Promise<BundledDocument> {
  const read = async (from: string) => {
    if (new URL(from).host !== new URL(url).host)
      throw new Error(`${from} is on another host than the contract. Save both as files.`);
    return textAt(from);
  };
  const found = await bundle(url, { read }).catch((error: unknown) => error as Error);
  if (!(found instanceof Error) && "openapi" in found) return found;
  return bundle(`${url.replace(/\/+$/, "")}/openapi.json`, { read }).catch(() => {
    throw found instanceof Error ? found : new Error(`${url} has no OpenAPI document, nor has its path /openapi.json.`);
  });
}

async function textAt(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT) }).catch((error: Error) => {
    throw new Error(`${url} cannot be read: ${((error.cause as Error | undefined) ?? error).message}`, {
      cause: error,
    });
  });
  if (!response.ok) throw new Error(`${url} cannot be read: it responds with status ${response.status}.`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    if ((size += chunk.length) > MAX_BYTES) throw new Error(`${url} is larger than ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
