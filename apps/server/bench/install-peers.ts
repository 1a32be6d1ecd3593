import { join } from "node:path";
import { installFolder } from "@platform/bench-support/install";

/** Installs the packages that only the peers need, from their own lockfile. */
export function installPeers(): Promise<void> {
  return installFolder(join(import.meta.dirname, "peers"));
}
