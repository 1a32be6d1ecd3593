import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A package of the workspace. */
export interface Package {
  name: string;
  /** The path of its folder from the root of the repository. */
  folder: string;
  /** Its dependencies in the workspace. */
  uses: string[];
}

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** Returns the packages with TypeScript, `apps` first, because the largest takes longest to compile. */
export function packagesIn(root: string): Package[] {
  const found = globSync("{packages,apps}/*/tsconfig.json", { cwd: root })
    .map((file) => dirname(file).replaceAll("\\", "/"))
    .filter((folder) => existsSync(join(root, folder, "package.json")))
    .toSorted()
    .map((folder) => ({
      folder,
      ...(JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest),
    }));
  const names = new Set(found.map(({ name }) => name));
  return found.map(({ name, folder, dependencies, devDependencies }) => {
    // By name, because npm and Yarn know no range of a workspace.
    return {
      name,
      folder,
      uses: Object.keys({ ...dependencies, ...devDependencies }).filter((used) => names.has(used)),
    };
  });
}

/** Returns the packages that a change to the files may break: those of the files and their direct and indirect dependents. */
export function affectedBy(files: Iterable<string>, packages: Package[]): Package[] {
  const names = new Set<string>();
  for (const file of files) {
    const owner = packages.find(({ folder }) => file.startsWith(`${folder}/`));
    if (owner !== undefined) names.add(owner.name);
  }
  for (let before = -1; before !== names.size;) {
    before = names.size;
    for (const { name, uses } of packages) if (uses.some((used) => names.has(used))) names.add(name);
  }
  return packages.filter(({ name }) => names.has(name));
}

/** Whether one of the files is code of the service or of its dependencies. */
export function isServedCode(files: Set<string>, serving: Package[]): boolean {
  return [...files].some((file) => serving.some(({ folder }) => new RegExp(`^${folder}/(src|bin)/`).test(file)));
}

/** Returns the package of a folder and all that it uses, directly or not. */
export function withDependencies(folder: string, packages: Package[]): Package[] {
  const own = packages.find((one) => one.folder === folder);
  const used = packages.filter(({ name }) => own?.uses.includes(name));
  return own === undefined ? [] : [own, ...used.flatMap((one) => withDependencies(one.folder, packages))];
}
