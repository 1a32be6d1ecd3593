/** `node build.ts [folder]`: the folder `dist`, which runs wherever there is a Node: the service with all it depends on, as a few modules. */
import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { type InputOptions, rolldown } from "rolldown";

/** What is read and written of a package.json. */
interface Manifest {
  name: string;
  version: string;
  license?: string;
  [field: string]: unknown;
}

const server = import.meta.dirname;
/** The module that `bin/petstore.js` starts. */
export const PROGRAM = { main: join(server, "src/main.ts") };
/** Beside the bundle since it is no JavaScript, or not the service's: SQLite, and the one file of Scalar that is served. */
const COPIED = {
  "better-sqlite3": ["LICENSE", "lib", "prebuilds"],
  "@scalar/api-reference": ["README.md", "dist/browser/standalone.js"],
};
/** Node warns of what is deprecated wherever it is not below `node_modules`, where no package.json says that this is a module. */
const DEPRECATED = { test: /express-openapi-validator/, name: "node_modules/express-openapi-validator/index" };

if (import.meta.main) await build(resolve(process.argv[2] ?? join(server, "dist")));

/** Makes that folder; a file in it names the packages it is made of, and their licences. */
export async function build(target: string): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  const { modules } = await bundle(target);
  for (const [name, files] of Object.entries(COPIED)) copyPackage(name, files, join(target, "node_modules", name));
  writeFileSync(join(target, "LICENSES.md"), licencesOf(modules));
}

/** Makes what of it is the service, which runs as well in a folder below one that holds the packages that are copied. */
export async function bundle(
  target: string,
  input: Record<string, string> = PROGRAM,
  plugins: InputOptions["plugins"] = [],
): Promise<{ modules: string[] }> {
  const bundler = await rolldown({
    input,
    plugins,
    platform: "node",
    external: [...Object.keys(COPIED), "pg-native"],
    transform: { target: "node22.12" },
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
  for (const file of ["bin", "README.md"]) cpSync(join(server, file), join(target, file), { recursive: true });
  const { name, version, description, license, bin, type } = manifestOf(server);
  const manifest = { name, version, private: true, description, license, type, bin, engines: { node: ">=22.12" } };
  writeFileSync(join(target, "package.json"), JSON.stringify(manifest, null, 2));
  return { modules: output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : [])) };
}

function copyPackage(name: string, files: string[], to: string): void {
  const from = folderOf(name);
  for (const file of files) cpSync(join(from, file), join(to, file), { recursive: true });
  const { version, license, main, exports } = manifestOf(from);
  writeFileSync(join(to, "package.json"), JSON.stringify({ name, version, license, main, exports }, null, 2));
}

/** The packages that modules belong to, each with its licence. */
function licencesOf(modules: string[]): string {
  const folders = new Set(modules.flatMap((path) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  for (const name of Object.keys(COPIED)) folders.add(folderOf(name));
  const licences = Array.from(folders, (folder) => {
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
