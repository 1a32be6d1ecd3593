import { join } from "node:path";
import { installFolder } from "../measuring/install.ts";

/** Installs the packages that only the peers need, from their own lockfile. */
export function installPeers(): Promise<void> {
  return installFolder(join(import.meta.dirname, "peers"));
}
