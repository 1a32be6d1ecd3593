import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { OpenAPI3 } from "openapi-typescript";
import { ROOT } from "../redocly.ts";

/** The bundled contract, which needs no other file. */
const COMMITTED = "packages/contract/src/generated/openapi.json";

/** Returns the bundled contract of a git revision. Rejects with the revision and git's message if there is none. */
export async function committedContract(revision: string): Promise<OpenAPI3> {
  try {
    const args = ["-C", ROOT, "show", "--end-of-options", `${revision}:./${COMMITTED}`];
    const { stdout } = await promisify(execFile)("git", args, { maxBuffer: 2 ** 28 });
    return JSON.parse(stdout) as OpenAPI3;
  } catch (error) {
    const { stderr = String(error) } = error as { stderr?: string };
    throw new Error(`The git revision ${revision} has no contract: ${stderr.trim()}`, { cause: error });
  }
}
