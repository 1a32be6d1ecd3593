import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ROOT } from "openapi-contract/paths";

/** The folder of the generated files. */
export const GENERATED_FOLDER = resolve(ROOT, "packages/contract/src/generated");

/** Returns the path of a file of a package that is installed for a folder: in `node_modules` there or, as npm and Yarn do, above. */
export function installedFile(folder: string, file: string): string {
  const path = join(folder, "node_modules", file);
  if (existsSync(path)) return path;
  if (dirname(folder) !== folder) return installedFile(dirname(folder), file);
  throw new Error(`${file} is not installed. Install the packages first.`);
}
