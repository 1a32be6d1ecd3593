import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** Installs the packages that only the peers need, from their own lockfile. */
export function installPeers(): void {
  execFileSync("npx", ["-y", "pnpm@12.21.0", "install", "--frozen-lockfile"], {
    cwd: join(import.meta.dirname, "peers"),
    stdio: ["ignore", "ignore", "inherit"],
  });
}
