import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";

/** Returns the path of the program that `npx -y pnpm@12.21.0` starts. Starting it directly saves up to a second. */
export function pnpmPath(): string {
  const args = ["-y", "--package", "pnpm@12.21.0", "which", "pnpm"];
  return execFileSync("npx", args, { cwd: tmpdir(), encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}
