import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { OpenAPI3 } from "openapi-typescript";
import { ROOT } from "../redocly.ts";

/** The bundled document is committed with the contract, and it is whole. */
const COMMITTED = "packages/contract/src/generated/openapi.json";

/** The bundled contract of a git revision. Rejects where there is none: the message names the revision and gives git's reason. */
export async function committedContract(revision: string): Promise<OpenAPI3> {
  try {
    const words = ["-C", ROOT, "show", "--end-of-options", `${revision}:./${COMMITTED}`];
    const { stdout } = await promisify(execFile)("git", words, { maxBuffer: 2 ** 28 });
    return JSON.parse(stdout) as OpenAPI3;
  } catch (error) {
    const { stderr = String(error) } = error as { stderr?: string };
    throw new Error(`The git revision ${revision} has no contract: ${stderr.trim()}`, { cause: error });
  }
}
