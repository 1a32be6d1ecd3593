import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parse } from "yaml";

/** The folder of this package. */
const PACKAGE = resolve(import.meta.dirname, "..");
/** The repository whose product is the template; undefined in the published package, which is JavaScript and has a copy of it. */
export const REPOSITORY = import.meta.filename.endsWith(".ts") ? resolve(PACKAGE, "../..") : undefined;

/** Files that are new for each service: manifests, settings of tools, the README. */
const TEMPLATE = join(PACKAGE, "template");
/** The petstore, whose own files a service begins with. */
export const PRODUCT = REPOSITORY ?? join(PACKAGE, "dist/product");

/** The files of the petstore that every service has. `prepack` copies them into the package. */
export const PRODUCT_FILES = [
  "tsconfig.base.json",
  "openapi/redocly.yaml",
  "packages/contract/tsconfig.json",
  "packages/contract/src/*.ts",
  "packages/client/tsconfig.build.json",
  "packages/client/src/*.ts",
  "apps/server/Containerfile",
  "apps/server/Containerfile.dockerignore",
  "apps/server/tsconfig.json",
  "apps/server/bin/service.js",
  "apps/server/src/*.ts",
  "apps/server/src/resources/*.ts",
  "apps/server/test/conformance.test.ts",
  "apps/server/testing/*.ts",
];

/** The files of a service by path from its root. */
export type Files = Map<string, string>;

/** Returns the files of the petstore and of the template, as they are. The template takes precedence. */
export function templateFiles(): Files {
  const files: Files = new Map();
  for (const file of globSync(PRODUCT_FILES, { cwd: PRODUCT })) files.set(slashed(file), read(PRODUCT, file));
  for (const entry of readdirSync(TEMPLATE, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = slashed(join(entry.parentPath, entry.name).slice(TEMPLATE.length + 1));
    files.set(file === "gitignore" ? ".gitignore" : file, read(TEMPLATE, file)); // npm packs no .gitignore
  }
  return files;
}

/** Returns a path with slashes on each system. */
export function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}

function read(folder: string, file: string): string {
  return readFileSync(join(folder, file), "utf8");
}

export function writeFiles(folder: string, files: Files): void {
  for (const [file, text] of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
}

/** The versions that the template's manifests leave open, by the name of a package. */
export interface Versions {
  /** Of dependencies. */
  catalog: Record<string, string>;
  /** Of the platform's packages. */
  platform: Record<string, string>;
  /** Fields of the root manifest: the Node that a repository brings along, by system, and the package manager. */
  root: { optionalDependencies: Record<string, string>; packageManager: string };
}

/** Returns the versions of this repository, or those that the published package was packed with. */
export function readVersions(): Versions {
  if (REPOSITORY === undefined) return JSON.parse(read(PRODUCT, "versions.json")) as Versions;
  const manifests = globSync("{package.json,{packages,apps}/*/package.json}", { cwd: REPOSITORY }).map(
    (file) => JSON.parse(read(REPOSITORY, file)) as Manifest & { name: string; version: string; private?: boolean },
  );
  const { optionalDependencies, packageManager } = JSON.parse(read(REPOSITORY, "package.json")) as Versions["root"];
  const { catalog } = parse(read(REPOSITORY, "pnpm-workspace.yaml")) as { catalog: Record<string, string> };
  const pinned = manifests.flatMap((manifest) =>
    Object.entries({ ...manifest.devDependencies, ...manifest.dependencies }),
  );
  const platform = manifests.filter((manifest) => manifest.private !== true && !manifest.name.startsWith("@petstore/"));
  return {
    catalog: { ...Object.fromEntries(pinned.filter(([, range]) => /^[\d^~]/.test(range))), ...catalog },
    platform: Object.fromEntries(platform.map(({ name, version }) => [name, version])),
    root: { optionalDependencies, packageManager },
  };
}

/** The fields of a package.json that name versions. */
export interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  [field: string]: unknown;
}

/** Returns a manifest of the template with versions instead of `catalog:` and `workspace:^`. */
export function withVersions(text: string, { catalog, platform }: Versions): string {
  const manifest = JSON.parse(text) as Manifest;
  for (const group of [manifest.dependencies, manifest.devDependencies]) {
    for (const [name, range] of Object.entries(group ?? {})) {
      if (range !== "catalog:" && range !== "workspace:^") continue;
      const version = range === "catalog:" ? catalog[name] : platform[name];
      if (version === undefined) throw new Error(`The template names ${name}, whose version is not known.`);
      group![name] = range === "catalog:" ? version : `^${version}`;
    }
  }
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Names packages of the same workspace as npm and Yarn do: any version, which the workspace has. */
export function withoutWorkspaceProtocol({ dependencies, devDependencies }: Manifest): void {
  for (const group of [dependencies, devDependencies])
    for (const [name, range] of Object.entries(group ?? {})) if (range === "workspace:*") group![name] = "*";
}
