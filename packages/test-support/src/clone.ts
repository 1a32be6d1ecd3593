import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";

/** The root of the repository. */
export const root = resolve(import.meta.dirname, "../../..");

/** Returns the files that `git add --all` would track, by path from the root; with `paths`, only those below them. */
export function repositoryFiles(...paths: string[]): string[] {
  return filesOf(root, ...paths);
}

/** The same for the repository in a folder. */
export function filesOf(repository: string, ...paths: string[]): string[] {
  const words = ["ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", ...paths];
  return git(repository, ...words)
    .split("\0")
    .filter((file) => file !== "" && existsSync(join(repository, file)));
}

/** Whether a file is one of the template of services, whose paths are those of another repository. */
export function isOfTemplate(file: string): boolean {
  return file.startsWith("packages/create-openapi-operations/template/");
}

/**
 * Copies the repository with its uncommitted work to a new folder and commits everything there, so that `git status` starts
 * clean. With `paths`, copies only these.
 */
export function cloneRepository(...paths: string[]): Disposable & { directory: string; status: () => string } {
  const directory = mkdtempSync(join(tmpdir(), "clone-"));
  for (const file of repositoryFiles(...paths)) cpSync(join(root, file), join(directory, file));
  git(directory, "init", "--quiet");
  git(directory, "add", "--all");
  git(directory, "-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "--quiet", "--message", "clone");
  return {
    directory,
    status: () => git(directory, "status", "--porcelain"),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** Clones the repository with its dependencies installed, by links to those of this checkout. It uses its own packages. */
export function cloneInstalled(...paths: string[]): ReturnType<typeof cloneRepository> {
  const clone = cloneRepository(...paths);
  symlinkSync(join(root, "node_modules"), join(clone.directory, "node_modules"));
  appendFileSync(join(clone.directory, ".git/info/exclude"), "/node_modules\n"); // `.gitignore` names folders, not links
  for (const modules of globSync("{apps,packages}/*/node_modules", { cwd: root })) {
    if (!existsSync(dirname(join(clone.directory, modules)))) continue;
    cpSync(join(root, modules), join(clone.directory, modules), { recursive: true, verbatimSymlinks: true });
  }
  return clone;
}

/** Returns the environment of a new terminal, without variables of this checkout, pnpm or turbo. */
export function freshEnvironment(): NodeJS.ProcessEnv {
  const kept =
    /^(HOME|LANG|TMPDIR|\w+_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|npm_config_(registry|cache|cafile))$/i;
  const ofPackages = /node_modules(?!\/\.cache\/tools)/; // `.ci/run` installs tools there
  const path = process.env["PATH"]?.split(delimiter).filter((directory) => !ofPackages.test(directory));
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => kept.test(name))),
    PATH: path?.join(delimiter),
  };
}

/**
 * The same for a clone. Packages come from the store of this checkout, and results of tasks from its cache, which knows tasks
 * with `CI` from those without. With `CI`, pnpm would refuse a manifest that a test has changed.
 */
export function cloneEnvironment(): NodeJS.ProcessEnv {
  const { CI, MAY_LACK_TOOLS } = process.env;
  return {
    ...freshEnvironment(),
    ...(CI !== undefined && { CI, pnpm_config_frozen_lockfile: "false" }),
    ...(MAY_LACK_TOOLS !== undefined && { MAY_LACK_TOOLS }),
    npm_config_prefer_offline: "true",
    pnpm_config_prefer_offline: "true",
    pnpm_config_store_dir: storeDirectory(),
    TURBO_CACHE_DIR: join(root, ".turbo/cache"),
  };
}

/** Returns the package store of this checkout. On another file system, pnpm would otherwise create a new one. */
function storeDirectory(): string {
  return (JSON.parse(readFileSync(join(root, "node_modules/.modules.yaml"), "utf8")) as { storeDir: string }).storeDir;
}

function git(directory: string, ...args: string[]): string {
  return execFileSync("git", ["-C", directory, ...args], { encoding: "utf8" });
}
