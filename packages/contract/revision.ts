import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./redocly.ts";

/** The bundled document is committed with the contract, and it is whole. */
const COMMITTED = "packages/contract/src/generated/openapi.json";

/** There is no contract at a git revision; the message names it and gives git's reason. */
export class RevisionError extends Error {
  override name = "RevisionError";
}

/** Hands on the contract of a git revision as a file that lasts as long as what is done with it. Rejects with a `RevisionError`. */
export async function withRevision<Result>(revision: string, use: (file: string) => Promise<Result>): Promise<Result> {
  const text = await committedContract(revision);
  const folder = await mkdtemp(join(tmpdir(), "revision-"));
  try {
    const file = join(folder, "openapi.json");
    await writeFile(file, text);
    return await use(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function committedContract(revision: string): Promise<string> {
  try {
    const words = ["-C", ROOT, "show", "--end-of-options", `${revision}:./${COMMITTED}`];
    return (await promisify(execFile)("git", words, { maxBuffer: 2 ** 28 })).stdout;
  } catch (error) {
    const { stderr } = error as { stderr: string };
    throw new RevisionError(`There is no contract at the git revision ${revision}: ${stderr.trim()}`, { cause: error });
  }
}
