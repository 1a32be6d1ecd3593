import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const CONTRACT = "openapi/openapi.yaml";

/** The root of the repository: the nearest folder with a contract, from that of the process upwards; without one, that of the process. */
export const ROOT = rootFrom(process.cwd()) ?? process.cwd();

/** The source file of the contract. */
export const CONTRACT_FILE = resolve(ROOT, CONTRACT);

/** The configuration of the contract's lint rules. */
export const LINT_CONFIG = resolve(ROOT, "openapi/redocly.yaml");

/** The folder of the generated files. */
export const GENERATED_FOLDER = resolve(ROOT, "packages/contract/src/generated");

function rootFrom(folder: string): string | undefined {
  if (existsSync(join(folder, CONTRACT))) return folder;
  return dirname(folder) === folder ? undefined : rootFrom(dirname(folder));
}

/** Returns the path of a file of a package that is installed for a folder: in `node_modules` there or, as npm and Yarn do, above. */
export function installedFile(folder: string, file: string): string {
  const path = join(folder, "node_modules", file);
  if (existsSync(path)) return path;
  if (dirname(folder) !== folder) return installedFile(dirname(folder), file);
  throw new Error(`${file} is not installed. Install the packages first.`);
}
