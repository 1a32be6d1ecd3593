import { execSync } from "node:child_process";

/** Installs the packages of a folder outside the workspace, from the lockfile of the folder. A shell also finds `npx.cmd`. */
export function installFolder(folder: string): void {
  execSync("npx -y pnpm@12.21.0 install --frozen-lockfile", { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
}
