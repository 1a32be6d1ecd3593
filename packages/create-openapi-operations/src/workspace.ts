import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, posix, relative } from "node:path";
import { isSeq, parseDocument } from "yaml";
import { type Files, type Manifest, slashed, withoutWorkspaceProtocol } from "./project.ts";

/** The workspace that a service joins: its root, and the package manager that installs it. */
export interface Workspace {
  root: string;
  manager: "pnpm" | "npm" | "yarn";
}

/** How each package manager runs a script. */
export const RUN = { pnpm: "pnpm", npm: "npm run", yarn: "yarn" };

/** Returns the workspace that a new folder would be in; undefined if there is none above it. */
export function workspaceAbove(folder: string): Workspace | undefined {
  const root = dirname(folder);
  if (existsSync(join(root, "pnpm-workspace.yaml"))) return { root, manager: "pnpm" };
  if (existsSync(join(root, "package.json"))) {
    const { workspaces, packageManager = "" } = readManifest(root);
    const isYarn = existsSync(join(root, "yarn.lock")) || String(packageManager).startsWith("yarn@");
    if (workspaces !== undefined && isYarn) expectNodeModules(root, String(packageManager));
    if (workspaces !== undefined) return { root, manager: isYarn ? "yarn" : "npm" };
  }
  return root === folder ? undefined : workspaceAbove(root);
}

/** Throws if a workspace has a package with a name of the service already, such as that of another service. */
export function expectFreeName({ root, manager }: Workspace, name: string): void {
  const globs = manager === "pnpm" ? pnpmSettings(root).toJS()?.packages : globsOf(readManifest(root));
  const patterns = ["", ...((globs ?? []) as string[])].map((glob) => posix.join(glob, "package.json"));
  const own = new Set([name, ...["contract", "client", "server"].map((each) => `@${name}/${each}`)]);
  for (const file of globSync(patterns, { cwd: root, exclude: ["**/node_modules/**"] })) {
    const folder = dirname(join(root, file));
    const taken = String(readManifest(folder)["name"]);
    if (own.has(taken))
      throw new Error(`The workspace has a package ${taken} already, in ${folder}. Give another name with --name.`);
  }
}

/** Returns the version of the Node that runs scripts in a folder, if it is too old for a service there. */
export function oldNodeIn(root: string): string | undefined {
  // The Node of this process may come from the packages of this repository, or from npm.
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !/[\\/]node_modules[\\/]/.test(folder));
  const env = { ...process.env, PATH: [join(root, "node_modules/.bin"), ...path].join(delimiter) };
  const { stdout } = spawnSync("node", ["--version"], { cwd: root, env, encoding: "utf8" });
  const [, version, major, minor] = /^v((\d+)\.(\d+)\.\d+)/.exec(stdout ?? "") ?? [];
  const isOld = Number(major) < 22 || (Number(major) === 22 && Number(minor) < 18);
  return isOld ? version : undefined;
}

/** Throws for a workspace with Yarn's Plug'n'Play, the default since Yarn 2: TypeScript finds no packages there. */
function expectNodeModules(root: string, packageManager: string): void {
  const read = (file: string) => (existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : "");
  const settings = read(".yarnrc.yml");
  const isModern = settings !== "" || /^yarn@[2-9]/.test(packageManager) || read("yarn.lock").includes("__metadata:");
  if (isModern && !/^nodeLinker: *["']?(?:node-modules|pnpm)\b/m.test(settings))
    throw new Error(
      `The workspace ${root} uses Yarn's Plug'n'Play, in which TypeScript finds no packages. Write "nodeLinker: node-modules" to its .yarnrc.yml, and repeat the command.`,
    );
}

/** Files of a repository that a workspace has already, or that build from its root: the image installs by its lockfile. */
const OF_REPOSITORY = [
  "pnpm-workspace.yaml",
  ".pnpmfile.mjs",
  "turbo.json",
  ".github/workflows/test.yaml",
  "apps/server/Containerfile",
  "apps/server/Containerfile.dockerignore",
];

/** Leaves out the files of a repository of its own. The scripts work with each package manager, and without turbo. */
export function fitWorkspace(files: Files, { root, manager }: Workspace, folder: string): void {
  for (const file of OF_REPOSITORY) files.delete(file);
  for (const [file, text] of files) {
    if (!file.endsWith("package.json")) continue;
    const manifest = JSON.parse(text) as Manifest;
    if (file === "package.json") fitRoot(manifest, files);
    if (manager !== "pnpm") withoutWorkspaceProtocol(manifest);
    files.set(file, `${JSON.stringify(manifest, null, 2)}\n`);
  }
  const run = RUN[manager];
  const hoisted = `](${slashed(relative(folder, root))}/node_modules/`;
  const readme = files
    .get("README.md")!
    .replaceAll(/npx -y pnpm@12.21.0 --silent \S+/g, "node apps/server/bin/service.js") // runs with the Node of the workspace
    .replaceAll("npx -y pnpm@12.21.0", run)
    .replaceAll(/`pnpm (\S+) (?=[^`])/g, `\`${run} $1 ${manager === "npm" ? "-- " : ""}`)
    .replaceAll(/(?<=[`… ])pnpm (?=[a-z])/g, `${run} `);
  files.set("README.md", manager === "pnpm" ? readme : readme.replaceAll(/\]\([\w/]*node_modules\//g, hoisted));
}

/** Gives the folder of the service the scripts that turbo runs elsewhere, with what they need. */
function fitRoot(manifest: Manifest, files: Files): void {
  const packages = ["packages/contract", "packages/client", "apps/server"];
  manifest["scripts"] = {
    ...(manifest["scripts"] as object),
    generate: "contract generate && fetch-operations generate --config packages/client/fetch-operations.config.json",
    // The Vitest of the server: with another, which a workspace may have as well, its tests do not run.
    test: "contract generate --check && contract lint && node --run typecheck && cd apps/server && node --run test",
    typecheck: packages.map((folder) => `tsc -p ${folder}`).join(" && "),
    build: "cd apps/server && build-service",
  };
  const versions = packages.map((folder) => JSON.parse(files.get(`${folder}/package.json`)!) as Manifest);
  const all = Object.assign(
    {},
    ...versions.flatMap(({ dependencies, devDependencies }) => [dependencies, devDependencies]),
  );
  const needed = ["fetch-operations", "typescript"].map((name) => [name, all[name]]);
  const { turbo: _, ...rest } = manifest.devDependencies!;
  delete manifest["optionalDependencies"];
  delete manifest["packageManager"];
  manifest["engines"] = { node: ">=22.18" }; // runs TypeScript without an option
  manifest.devDependencies = { ...rest, ...Object.fromEntries(needed) };
}

/** Dependencies whose build scripts are not needed. One that is not named stops the install of pnpm. */
const UNBUILT = ["better-sqlite3", "esbuild", "vue-demi"];

/** Adds the packages of a service to the workspace, and the tarballs of its platform, by the name of a package. */
export function joinWorkspace({ root, manager }: Workspace, folder: string, overrides: Record<string, string>): void {
  const path = slashed(relative(root, folder));
  const globs = [path, `${path}/packages/*`, `${path}/apps/*`];
  if (manager === "pnpm") {
    const document = pnpmSettings(root);
    if (!isSeq(document.get("packages"))) document.set("packages", document.createNode([]));
    const packages = document.toJS().packages as string[];
    for (const glob of globs) if (!packages.includes(glob)) document.addIn(["packages"], glob);
    for (const [name, range] of Object.entries(overrides)) document.setIn(["overrides", name], range);
    for (const name of UNBUILT)
      if (!document.hasIn(["allowBuilds", name])) document.setIn(["allowBuilds", name], false);
    writeFileSync(join(root, PNPM_SETTINGS), document.toString({ lineWidth: 0 }));
    return;
  }
  const manifest = readManifest(root);
  const packages = globsOf(manifest);
  packages.push(...globs.filter((glob) => !packages.includes(glob)));
  if (Object.keys(overrides).length > 0) {
    // npm reads the path of an override from the folder of each package that depends on it. Packages of the root take precedence.
    const field = manager === "npm" ? "devDependencies" : "resolutions";
    manifest[field] = { ...(manifest[field] as object | undefined), ...overrides };
  }
  writeFileSync(join(root, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

const PNPM_SETTINGS = "pnpm-workspace.yaml";

function pnpmSettings(root: string): ReturnType<typeof parseDocument> {
  return parseDocument(readFileSync(join(root, PNPM_SETTINGS), "utf8"));
}

function globsOf(manifest: Manifest): string[] {
  const { workspaces } = manifest as { workspaces: string[] | { packages: string[] } };
  return Array.isArray(workspaces) ? workspaces : workspaces.packages;
}

function readManifest(folder: string): Manifest {
  const file = join(folder, "package.json");
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Manifest;
  } catch (cause) {
    throw new Error(`${file} cannot be read: ${(cause as Error).message}. Correct it first.`, { cause });
  }
}
