import { execFileSync, spawnSync } from "node:child_process";
import { PNPM } from "@openapi-operations/command-line";

/** Runs pnpm in a folder. Returns its output if it fails. */
export function pnpm(folder: string, ...words: string[]): string | undefined {
  const [npx, ...first] = PNPM.split(" ");
  // npm tells the programs that it starts of its own options, which npx would take for its own.
  const { npm_config_package: _, npm_config_call: __, ...env } = process.env;
  const shell = process.platform === "win32"; // `npx` is a batch file there
  const { status, stdout, stderr } = spawnSync(npx!, [...first, ...words], {
    cwd: folder,
    env,
    encoding: "utf8",
    shell,
  });
  return status === 0 ? undefined : stdout + stderr;
}

// cspell:ignore gpgsign
/** Makes a first commit, with which `dev` and `contract diff` compare. Returns whether it did: not inside of another repository. */
export function commitAll(folder: string): boolean {
  const git = (...words: string[]) => execFileSync("git", words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  try {
    git("rev-parse", "--is-inside-work-tree");
    return false;
  } catch {
    // It is in no repository yet, or there is no git.
  }
  try {
    git("init", "--quiet");
    git("add", "--all");
    git("-c", "commit.gpgsign=false", "commit", "--quiet", "--message", "Create the service");
    return true;
  } catch {
    return false; // without git, or without a name for commits
  }
}
