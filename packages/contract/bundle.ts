import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { OpenAPI3 } from "openapi-typescript";

/** The contract as it is written. */
export const CONTRACT_FILE = resolve(import.meta.dirname, "../../openapi/openapi.yaml");

/** One self-contained document, its references into other files resolved, by the same Redocly that lints it. */
export async function bundle(contractPath: string): Promise<OpenAPI3> {
  const directory = await mkdtemp(join(tmpdir(), "contract-"));
  const output = join(directory, "openapi.json");
  const redocly = resolve(
    import.meta.dirname,
    `node_modules/.bin/redocly${process.platform === "win32" ? ".cmd" : ""}`,
  );
  try {
    await promisify(execFile)(redocly, ["bundle", contractPath, "--output", output], {
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    });
    return JSON.parse(await readFile(output, "utf8")) as OpenAPI3;
  } finally {
    await rm(directory, { recursive: true });
  }
}
