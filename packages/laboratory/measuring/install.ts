import { execSync } from "node:child_process";
import { join } from "node:path";
import { PNPM, withProgress } from "@openapi-operations/command-line";
import { root } from "@platform/test-support/clone";
import { alone } from "@platform/test-support/pnpm";

const PEERS = join(import.meta.dirname, "../peers");

/** Returns the path of an installed package among the peers, or of a file in it. */
export function peerPath(path: string): string {
  return join(PEERS, "node_modules", path);
}

/** Installs what only the laboratory needs, from the lockfile of the peers. A shell also finds `npx.cmd`. */
export async function installPeers(): Promise<void> {
  await withProgress((report) => {
    report("Installing the peers");
    // The message of an error has what the command says of it. Several long tests install at a time.
    alone(join(root, "node_modules/.installing-peers"), () =>
      execSync(`${PNPM} install --frozen-lockfile`, { cwd: PEERS, stdio: ["ignore", "ignore", "pipe"] }),
    );
  });
}
