import { execSync } from "node:child_process";
import { basename } from "node:path";
import { PNPM, withProgress } from "@platform/command-line";

/** Installs the packages of a folder outside the workspace, from the lockfile of the folder. A shell also finds `npx.cmd`. */
export async function installFolder(folder: string): Promise<void> {
  await withProgress((report) => {
    report(`Installing packages in ${basename(folder)}`);
    execSync(`${PNPM} install --frozen-lockfile`, {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"], // what it says of an error is in the message of the error
    });
  });
}
