import { execSync } from "node:child_process";
import { join } from "node:path";
import { PNPM, withProgress } from "@platform/command-line";

const PEERS = join(import.meta.dirname, "../peers");

/** Returns the path of an installed package among the peers, or of a file in it. */
export function peerPath(path: string): string {
  return join(PEERS, "node_modules", path);
}

/** Installs what only the laboratory needs, from the lockfile of the peers. A shell also finds `npx.cmd`. */
export async function installPeers(): Promise<void> {
  await withProgress((report) => {
    report("Installing the peers");
    execSync(`${PNPM} install --frozen-lockfile`, {
      cwd: PEERS,
      stdio: ["ignore", "ignore", "pipe"], // what it says of an error is in the message of the error
    });
  });
}
