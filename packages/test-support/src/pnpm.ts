import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";

/** The path of the program that `npx -y pnpm@12.21.0` starts; npx itself takes up to a second of each start. */
export function pnpmPath(): string {
  const args = ["-y", "--package", "pnpm@12.21.0", "which", "pnpm"];
  return execFileSync("npx", args, { cwd: tmpdir(), encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}
