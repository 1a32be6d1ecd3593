import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OpenAPI3 } from "openapi-typescript";
import { redocly } from "../redocly.ts";

export { CONTRACT_FILE } from "../redocly.ts";

/**
 * Bundles a contract and the files that it refers to into one document. Rejects with Redocly's message if the contract
 * cannot be parsed.
 */
export async function bundle(contractPath: string, signal?: AbortSignal): Promise<OpenAPI3> {
  const directory = await mkdtemp(join(tmpdir(), "contract-"));
  const output = join(directory, "openapi.json");
  try {
    const { exitCode, stderr } = await redocly(["bundle", contractPath, "--output", output], signal);
    if (exitCode !== 0) throw new Error(stderr.trim());
    return JSON.parse(await readFile(output, "utf8")) as OpenAPI3;
  } finally {
    await rm(directory, { recursive: true });
  }
}
