import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { OpenAPI3 } from "openapi-typescript";
import { ROOT } from "../redocly.ts";

/** The bundled document is committed with the contract, and it is whole. */
const COMMITTED = "packages/contract/src/generated/openapi.json";

/** There is no contract at a git revision; the message names it and gives git's reason. */
export class RevisionError extends Error {
  override name = "RevisionError";
}

/** The bundled contract of a git revision. Rejects with a `RevisionError`. */
export async function committedContract(revision: string): Promise<OpenAPI3> {
  try {
    const words = ["-C", ROOT, "show", "--end-of-options", `${revision}:./${COMMITTED}`];
    const { stdout } = await promisify(execFile)("git", words, { maxBuffer: 2 ** 28 });
    return JSON.parse(stdout) as OpenAPI3;
  } catch (error) {
    const { stderr = String(error) } = error as { stderr?: string };
    throw new RevisionError(`There is no contract at the git revision ${revision}: ${stderr.trim()}`, { cause: error });
  }
}
