import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { OpenAPI3 } from "openapi-typescript";
import { ROOT } from "../paths.ts";

/** The bundled contract, which needs no other file. */
const COMMITTED = "packages/contract/src/generated/openapi.json";
const SOURCE = "openapi/openapi.yaml";

/** Returns the bundled contract of a git revision. Rejects with the revision and git's message if there is none. */
export async function committedContract(revision: string): Promise<OpenAPI3> {
  return JSON.parse(await shown(revision, COMMITTED)) as OpenAPI3;
}

/** Returns the source of the contract in a git revision. Rejects as `committedContract` does. */
export function committedText(revision: string): Promise<string> {
  return shown(revision, SOURCE);
}

async function shown(revision: string, file: string): Promise<string> {
  try {
    const args = ["-C", ROOT, "show", "--end-of-options", `${revision}:./${file}`];
    const { stdout } = await promisify(execFile)("git", args, { maxBuffer: 2 ** 28 });
    return stdout;
  } catch (error) {
    const { stderr = String(error) } = error as { stderr?: string };
    throw new Error(`The git revision ${revision} has no contract: ${stderr.trim()}`, { cause: error });
  }
}
