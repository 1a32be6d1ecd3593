/** `node build.ts [folder]`: the folder `dist`, which runs wherever there is a Node: the service with all it depends on, as a few modules. */
import { execSync } from "node:child_process";
import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { PNPM } from "@platform/command-line";
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

const server = import.meta.dirname;
/** The module that `bin/service.js` starts, and the module of the thread that shows the progress of commands. */
export const PROGRAM = {
  main: join(server, "src/main.ts"),
  "progress-worker": createRequire(import.meta.url).resolve("@platform/command-line/progress-worker"),
};
/** Beside the bundle since it is no JavaScript, or not the service's: SQLite, and the one file of Scalar that is served. */
const COPIED = {
  "better-sqlite3": ["LICENSE", "lib", "prebuilds"],
  "@scalar/api-reference": ["README.md", "dist/browser/standalone.js"],
};
/** Node warns of what is deprecated wherever it is not below `node_modules`, where no package.json says that this is a module. */
const DEPRECATED = { test: /express-openapi-validator/, name: "node_modules/express-openapi-validator/index" };

if (import.meta.main) await build(resolve(process.argv[2] ?? join(server, "dist")));

/** Makes that folder; files in it name the packages it is made of: `LICENSES.md`, and `sbom.cdx.json` for programs. */
export async function build(target: string): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  const { modules } = await bundle(target);
  for (const [name, files] of Object.entries(COPIED)) copyPackage(name, files, join(target, "node_modules", name));
  const folders = foldersOf(modules);
  writeFileSync(join(target, "LICENSES.md"), licencesOf(folders.filter((folder) => folder.includes("/node_modules/"))));
  writeFileSync(join(target, "sbom.cdx.json"), JSON.stringify(bomOf(folders), null, 2));
}

/** Makes what of it is the service, which runs as well in a folder below one that holds the packages that are copied. */
export async function bundle(target: string, input: Record<string, string> = PROGRAM): Promise<{ modules: string[] }> {
  const bundler = await rolldown({
    input,
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
  for (const file of ["bin", "docs", "monitoring", "README.md"])
    cpSync(join(server, file), join(target, file), { recursive: true });
  const { name, version, description, license, bin, type } = manifestOf(server);
  const manifest = { name, version, private: true, description, license, type, bin, engines: { node: ">=22.15" } };
  writeFileSync(join(target, "package.json"), JSON.stringify(manifest, null, 2));
  return { modules: output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : [])) };
}

function copyPackage(name: string, files: string[], to: string): void {
  const from = folderOf(name);
  for (const file of files) cpSync(join(from, file), join(to, file), { recursive: true });
  const { version, license, main, exports } = manifestOf(from);
  writeFileSync(join(to, "package.json"), JSON.stringify({ name, version, license, main, exports }, null, 2));
}

/** The folders of the packages that modules belong to, and of those that are copied; not the server's own. */
function foldersOf(modules: string[]): string[] {
  const folder = /^.*\/node_modules\/(@[^/]+\/)?[^/]+|^.*\/packages\/[^/]+/;
  const paths = [...modules, ...Object.keys(COPIED).map(folderOf)].map((path) => path.replaceAll("\\", "/"));
  return [...new Set(paths.flatMap((path) => folder.exec(path)?.[0] ?? []))];
}

/** The lockfile's packages that are in the folder, with their hashes, and what of these each depends on. */
function bomOf(folders: string[]): Bom {
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

function folderOf(name: string): string {
  let folder = dirname(createRequire(import.meta.url).resolve(name));
  while (!existsSync(join(folder, "package.json")) || manifestOf(folder).name !== name) folder = dirname(folder);
  return folder;
}

function manifestOf(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Manifest;
}
