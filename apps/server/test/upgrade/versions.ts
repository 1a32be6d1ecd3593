import { execFileSync, execSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { bundle } from "@openapi-operations/contract-tools/build";
import { root } from "@platform/test-support/clone";
import { temporaryFolder } from "@platform/test-support/temporary";
import { onTestFinished } from "vitest";

const SERVER = resolve(import.meta.dirname, "../..");
const MANIFEST = "apps/server/package.json";

/** The replacements in one file of the source, each with the text that it replaces. */
type Edits = Record<string, [text: string, replacement: string][]>;

/** Builds a version of the service that differs from this one by edits of its source. Returns its folder. */
export async function buildEdited(edits: Edits): Promise<string> {
  const folder = await mkdtemp(join(SERVER, "node_modules/.version-")); // below the packages that are not bundled
  onTestFinished(() => rm(folder, { recursive: true }));
  cpSync(join(SERVER, "src"), join(folder, "source"), { recursive: true });
  for (const [file, replacements] of Object.entries(edits)) {
    const path = join(folder, "source", file);
    let source = readFileSync(path, "utf8");
    for (const [text, replacement] of replacements) {
      if (!source.includes(text)) throw new Error(`${file} has no longer: ${text}`);
      source = source.replace(text, replacement);
    }
    writeFileSync(path, source);
  }
  await bundle(SERVER, join(folder, "built"), { main: join(folder, "source/main.ts") });
  return join(folder, "built");
}

/** Builds the service at a commit in a worktree. Returns its folder. */
export async function buildCommit(commit: string): Promise<string> {
  const folder = await temporaryFolder();
  const worktree = join(folder, "worktree");
  execFileSync("git", ["worktree", "add", "--quiet", "--detach", worktree, commit], { cwd: root });
  onTestFinished(() => void execFileSync("git", ["worktree", "remove", "--force", worktree], { cwd: root }));
  const built = join(folder, "built");
  const pnpm = (words: string, cwd: string) => execSync(`npx -y pnpm@12.21.0 ${words}`, { cwd, stdio: "pipe" });
  pnpm("install --frozen-lockfile --prefer-offline", worktree);
  pnpm(`run build "${built}"`, join(worktree, "apps/server"));
  return built;
}

/** Returns the last commit whose server has another version than this one; undefined if there is none, or no history. */
export function lastCommitOfAnotherVersion(): string | undefined {
  const versionIn = (manifest: string): string => (JSON.parse(manifest) as { version: string }).version;
  const current = versionIn(readFileSync(join(root, MANIFEST), "utf8"));
  try {
    const commits = git("log", "--format=%H", "--", MANIFEST).split("\n");
    const other = commits.findIndex((commit) => versionIn(git("show", `${commit}:${MANIFEST}`)) !== current);
    if (other === -1) return undefined;
    return other === 0 ? commits[0] : git("rev-parse", `${commits[other - 1]}^`);
  } catch {
    return undefined;
  }
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}
