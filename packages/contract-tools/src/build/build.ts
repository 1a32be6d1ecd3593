import { execSync } from "node:child_process";
import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { PNPM } from "@openapi-operations/command-line";
import { rolldown } from "rolldown";

/** The fields of a package.json that are read and written. */
interface Manifest {
  name: string;
  version: string;
  license?: string;
  [field: string]: unknown;
}

/** The fields of an SBOM (CycloneDX 1.7) that are read and written. */
interface Bom {
  metadata: { lifecycles: { phase: string }[]; component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

interface Component {
  /** pnpm excludes development dependencies by these two. Scalar is one, and the folder has it; scanners skip what is excluded. */
  scope?: string | undefined;
  properties?: object[] | undefined;
  group?: string;
  name: string;
  version: string;
  "bom-ref": string;
}

/** Beside the bundle since it is no JavaScript, or not the service's: SQLite, and the one file of Scalar that is served. */
const COPIED = {
  "better-sqlite3": ["LICENSE", "lib", "prebuilds"],
  "@scalar/api-reference": ["README.md", "dist/browser/standalone.js"],
};
/** Node warns of what is deprecated wherever it is not below `node_modules`, where no package.json says that this is a module. */
const DEPRECATED = { test: /express-openapi-validator/, name: "node_modules/express-openapi-validator/index" };

/** Folders and files of the package of a server that the built service has as well. */
const OF_SERVER = ["bin", "docs", "monitoring", "README.md"];

/**
 * Builds the service of a server's package into a folder, which runs wherever there is a Node: the service with all it depends on,
 * as a few modules. Files in it name the packages it is made of: `LICENSES.md`, and `sbom.cdx.json` for programs where pnpm
 * has installed them.
 */
export async function build(server: string, target: string): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  const { modules } = await bundle(server, target);
  const ofServer = createRequire(join(server, "package.json"));
  const ofStorage = createRequire(ofServer.resolve("@openapi-operations/storage/storage")); // which imports SQLite
  const copied = Object.entries(COPIED).map(([name, files]) => {
    const folder = packageOf((name === "better-sqlite3" ? ofStorage : ofServer).resolve(name));
    copyPackage(folder, files, join(target, "node_modules", name));
    return folder;
  });
  const folders = new Set([...modules.filter(existsSync).map(packageOf), ...copied]);
  folders.delete(packageOf(join(server, "package.json")));
  writeFileSync(
    join(target, "LICENSES.md"),
    licencesOf([...folders].filter((folder) => /[\\/]node_modules[\\/]/.test(folder))),
  );
  if (isLockedByPnpm(server))
    writeFileSync(join(target, "sbom.cdx.json"), JSON.stringify(bomOf(server, [...folders]), null, 2));
  else console.log("There is no sbom.cdx.json, which pnpm writes: no folder above has a pnpm-lock.yaml.");
}

/**
 * Bundles the service alone, which runs in a folder below one that holds the packages that are copied. `more` are other entries,
 * or another `main`, by name.
 */
export async function bundle(
  server: string,
  target: string,
  more: Record<string, string> = {},
): Promise<{ modules: string[] }> {
  const resolve = createRequire(join(server, "package.json")).resolve;
  const bundler = await rolldown({
    input: {
      main: join(server, "src/main.ts"), // which bin/service.js starts
      "progress-worker": resolve("@openapi-operations/command-line/progress-worker"), // the thread that shows the progress of commands
      ...more,
    },
    platform: "node",
    external: [...Object.keys(COPIED), "pg-native"],
    transform: { target: "node22.15" },
  });
  const { output } = await bundler.write({
    dir: target,
    entryFileNames: "src/[name].js",
    chunkFileNames: ({ name }) => (name === DEPRECATED.name ? "[name].mjs" : "src/[name]-[hash].js"),
    codeSplitting: { groups: [DEPRECATED] },
    charset: "ascii", // V8 keeps the text of a module, with two bytes for each character once one is beyond Latin-1
    comments: false, // licences are in LICENSES.md
  });
  await bundler.close();
  for (const file of OF_SERVER.filter((name) => existsSync(join(server, name))))
    cpSync(join(server, file), join(target, file), { recursive: true });
  const { name, version, description, license, bin, type } = manifestOf(server);
  const manifest = { name, version, private: true, description, license, type, bin, engines: { node: ">=22.15" } };
  writeFileSync(join(target, "package.json"), JSON.stringify(manifest, null, 2));
  return { modules: output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : [])) };
}

function copyPackage(from: string, files: string[], to: string): void {
  for (const file of files) cpSync(join(from, file), join(to, file), { recursive: true });
  const { name, version, license, main, exports } = manifestOf(from);
  writeFileSync(join(to, "package.json"), JSON.stringify({ name, version, license, main, exports }, null, 2));
}

function isLockedByPnpm(folder: string): boolean {
  return existsSync(join(folder, "pnpm-lock.yaml")) || (dirname(folder) !== folder && isLockedByPnpm(dirname(folder)));
}

/** The lockfile's packages that are in the folder, with their hashes, and what of these each depends on. */
function bomOf(server: string, folders: string[]): Bom {
  const options = "--sbom-format cyclonedx --sbom-type application --lockfile-only --filter .";
  const text = execSync(`${PNPM} sbom ${options}`, {
    cwd: server,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const locked = JSON.parse(text) as Bom;
  const { component } = locked.metadata;
  const held = new Set(
    folders.map((folder) => {
      const { name, version } = manifestOf(folder);
      return `${name}@${version}`;
    }),
  );
  const components = locked.components
    .filter(({ group, name, version }) => held.has(`${group === undefined ? "" : `${group}/`}${name}@${version}`))
    .map((each) => ({ ...each, scope: undefined, properties: undefined }));
  const refs = new Set([component, ...components].map((each) => each["bom-ref"]));
  return {
    ...locked,
    metadata: { ...locked.metadata, lifecycles: [{ phase: "build" }] },
    components,
    dependencies: locked.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) })),
  };
}

/** Packages, each with its licence. */
function licencesOf(folders: string[]): string {
  const licences = folders.map((folder) => {
    const { name, version, license = "" } = manifestOf(folder);
    const [file] = globSync("{LICEN[CS]E,licen[cs]e}*", { cwd: folder });
    const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim();
    return `## ${name} ${version} (${license})\n\n${text}\n`;
  });
  return `# The packages in this folder\n\n${licences.toSorted().join("\n")}`;
}

/** Returns the folder of the package that a file belongs to. Some packages have manifests of folders, without a version. */
function packageOf(file: string): string {
  let folder = dirname(file);
  while (!existsSync(join(folder, "package.json")) || manifestOf(folder).version === undefined)
    folder = dirname(folder);
  return folder;
}

function manifestOf(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Manifest;
}
