import { execFileSync, spawnSync } from "node:child_process";
import { globSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { PNPM } from "@platform/command-line";
import { type Names, renamed } from "./names.ts";
import { KEPT_FILES, PETSTORE_FILES, PLATFORM_FOLDERS } from "./petstore-files.ts";

/** The repository that is adopted. Paths are relative to its root. */
export interface Repository {
  root: string;
  files: () => string[];
  read: (file: string) => string;
  write: (file: string, text: string) => void;
  git: (...words: string[]) => string;
}

/** Returns the repository at a root. */
export function repositoryAt(root: string): Repository {
  const git = (...words: string[]) =>
    execFileSync("git", ["-C", root, ...words], { encoding: "utf8", maxBuffer: 2 ** 28 });
  return {
    root,
    git,
    files: () =>
      git("ls-files", "-z")
        .split("\0")
        .filter((file) => file !== ""),
    read: (file) => readFileSync(join(root, file), "utf8"),
    write: (file, text) => {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    },
  };
}

/** Returns the tracked files that belong to the petstore alone. */
export function petstoreFiles({ root, files }: Repository): string[] {
  const matching = (patterns: string[]) =>
    new Set(globSync(patterns, { cwd: root }).map((file) => file.replaceAll("\\", "/"))); // as git writes them
  const [own, kept] = [matching(PETSTORE_FILES), matching(KEPT_FILES)];
  return files().filter((file) => own.has(file) && !kept.has(file));
}

/** Removes files, and the folders that are empty then. */
export function remove({ root }: Repository, files: string[]): void {
  for (const file of files) rmSync(join(root, file));
  for (const folder of new Set(files.map((file) => dirname(file)))) removeEmpty(root, join(root, folder));
}

function removeEmpty(root: string, folder: string): void {
  try {
    if (relative(root, folder) === "" || readdirSync(folder).length > 0) return;
    rmdirSync(folder);
  } catch {
    return; // a folder above it was removed before
  }
  removeEmpty(root, dirname(folder));
}

const TEXT =
  /\.(?:[cm]?[jt]sx?|json|md|ya?ml|html|service|dockerignore|java|go|mod|sh|sql)$|(?:^|\/)(?:Containerfile|run)$/;

/** The licence names its owner, and the platform's words stay known to the spelling check. */
const UNCHANGED = new Set(["LICENSE", "cspell.json"]);

/** Replaces the petstore's names in each remaining file, and in the names of files. In the platform, only names of packages change. */
export function renameEverywhere(repository: Repository, names: Names): string[] {
  const changed: string[] = [];
  for (const file of repository.files()) {
    if (!TEXT.test(file) || UNCHANGED.has(file)) continue;
    const before = readIfPresent(repository, file);
    if (before === undefined) continue;
    const isPlatform = PLATFORM_FOLDERS.some((folder) => file.startsWith(folder));
    const after = isPlatform ? withPackageNames(file, before, names) : renamed(before, names);
    const target = isPlatform ? file : renamed(file, names);
    if (after === before && target === file) continue;
    if (target !== file) rmSync(join(repository.root, file));
    repository.write(target, after);
    changed.push(target);
  }
  return changed;
}

function withPackageNames(file: string, text: string, { name }: Names): string {
  return file.endsWith("/package.json") ? text.replaceAll('"@petstore/', `"@${name}/`) : text;
}

function readIfPresent({ read }: Repository, file: string): string | undefined {
  try {
    return read(file);
  } catch {
    return undefined; // removed before
  }
}

/** Replaces the links of pages to files that no longer exist by their texts. */
export function unlinkMissing(repository: Repository, isPresent: (file: string) => boolean): void {
  for (const file of globSync(["*.md", "{apps,packages,openapi,.github,.changeset}/**/*.md"], {
    cwd: repository.root,
    exclude: ["**/node_modules/**"],
  })) {
    const before = repository.read(file);
    const after = before.replaceAll(
      /!?\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g,
      (link, text: string, target: string) => {
        const [path = "", heading] = target.split("#");
        if (/^[a-z]+:/i.test(target) || (path === "" && heading !== undefined)) return link;
        return isPresent(join(dirname(file), decodeURI(path))) ? link : text;
      },
    );
    if (after !== before) repository.write(file, after);
  }
}

/** The exit and the output of a command. */
export interface Ran {
  ok: boolean;
  output: string;
}

/** Runs pnpm in the repository. `npx` is a batch file on Windows, which only a shell starts. */
export function pnpm(repository: Repository, ...words: string[]): Ran {
  const [npx, ...first] = PNPM.split(" ");
  return run(repository, npx!, [...first, ...words], process.platform === "win32");
}

/** Runs a program of Node in the repository. */
export function runProgram(repository: Repository, ...words: string[]): Ran {
  return run(repository, process.execPath, words);
}

function run({ root }: Repository, command: string, words: string[], shell = false): Ran {
  const { status, stdout, stderr, error } = spawnSync(command, words, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    env: { ...process.env, DO_NOT_TRACK: "1" },
    shell,
  });
  return { ok: status === 0, output: error === undefined ? stdout + stderr : error.message };
}
