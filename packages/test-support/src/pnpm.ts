import { execSync } from "node:child_process";
import { tmpdir } from "node:os";

/**
 * Returns the path of the program that `npx -y pnpm@12.21.0` starts. Starting it directly saves up to a second. A shell also
 * finds `npx.cmd`.
 */
export function pnpmPath(): string {
  const command = "npx -y pnpm@12.21.0 exec node -p process.env.npm_execpath";
  return execSync(command, { cwd: tmpdir(), encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}
