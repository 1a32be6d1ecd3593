import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const CONTRACTS = ["openapi/openapi.yaml", "openapi.yaml", "openapi.json"];

/** The file that lists the contracts of a repository with several. */
export const CONTRACT_LIST = "contracts.yaml";

/**
 * The root of the repository: the nearest folder with a contract or a list of contracts, from that of the process upwards; without
 * one, that of the process.
 */
export const ROOT = rootFrom(process.cwd()) ?? process.cwd();

/** The source file of the contract. */
export const CONTRACT_FILE = resolve(ROOT, contractIn(ROOT) ?? CONTRACTS[0]!);

/** Returns the configuration of a contract's lint rules: `redocly.yaml` beside it, in the root, or in `openapi`; undefined without one. */
export function lintConfig(contract: string): string | undefined {
  const files = [dirname(resolve(contract)), ROOT, join(ROOT, "openapi")].map((folder) => join(folder, "redocly.yaml"));
  return files.find((file) => existsSync(file));
}

function contractIn(folder: string): string | undefined {
  return CONTRACTS.find((file) => existsSync(join(folder, file)));
}

function rootFrom(folder: string): string | undefined {
  if (contractIn(folder) !== undefined || existsSync(join(folder, CONTRACT_LIST))) return folder;
  return dirname(folder) === folder ? undefined : rootFrom(dirname(folder));
}
