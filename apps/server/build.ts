/** `node build.ts [folder]`: the folder `dist`, which runs wherever there is a Node. It holds the service as JavaScript and what that depends on. */
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** What is read and written of a package.json. */
interface Manifest {
  name: string;
  version: string;
  packageManager: string;
  exports: Record<string, string>;
  [field: string]: unknown;
}

const server = import.meta.dirname;
const root = resolve(server, "../..");
const target = resolve(process.argv[2] ?? join(server, "dist"));

rmSync(target, { recursive: true, force: true });
deploy();
compile(server, join(target, "src"));
for (const name of ["contract", "express-operations"]) compilePackage(join(root, "packages", name));
copyReferencePage();
tidyUp();

/** `bin` and the production dependencies, as plain folders, so that a copy is whole whatever makes it. */
function deploy(): void {
  const { packageManager } = manifestOf(root);
  const options = ["--prod", "--prefer-offline", "--config.node-linker=hoisted"];
  run("npx", "-y", packageManager, "--silent", "--filter", "@petstore/server", "deploy", ...options, target);
}

function compile(directory: string, outDir: string): void {
  run("tsc", "-p", join(directory, "tsconfig.build.json"), "--outDir", outDir, "--declaration", "false");
}

/** Inside the repository its exports are TypeScript, which Node does not run below `node_modules`. */
function compilePackage(directory: string): void {
  const { name, version, dependencies, exports } = manifestOf(directory);
  const copy = join(target, "node_modules", name);
  for (const entry of readdirSync(copy)) {
    if (entry !== "node_modules") rmSync(join(copy, entry), { recursive: true });
  }
  compile(directory, join(copy, "dist"));
  const compiled = Object.entries(exports).flatMap(([key, path]) => {
    const module = /^\.\/src\/(.*)\.ts$/.exec(path)?.[1];
    return module === undefined ? [] : [[key, `./dist/${module}.js`]];
  });
  const manifest = { name, version, type: "module", exports: Object.fromEntries(compiled), dependencies };
  writeFileSync(join(copy, "package.json"), JSON.stringify(manifest, null, 2));
}

/** The one file of Scalar that is served; the package would bring 287 MB. */
function copyReferencePage(): void {
  const name = "@scalar/api-reference";
  const [from, to] = [join(server, "node_modules", name), join(target, "node_modules", name)];
  for (const file of ["README.md", "dist/browser/standalone.js"]) cpSync(join(from, file), join(to, file));
  const { version, license, exports } = manifestOf(from);
  writeFileSync(join(to, "package.json"), JSON.stringify({ name, version, license, exports }, null, 2));
}

/** pnpm's notes name folders of this machine; scripts and devDependencies are of no use there. */
function tidyUp(): void {
  for (const note of ["pnpm-lock.yaml", "pnpm-workspace.yaml", "node_modules/.modules.yaml", "node_modules/.pnpm"]) {
    rmSync(join(target, note), { recursive: true, force: true });
  }
  for (const note of ["node_modules/.pnpm-workspace-state-v1.json", "node_modules/.bin"]) {
    rmSync(join(target, note), { recursive: true, force: true });
  }
  const { name, version, description, license, bin, type, dependencies } = manifestOf(server);
  const manifest = { name, version, private: true, description, license, type, bin, engines: { node: ">=22.12" } };
  writeFileSync(join(target, "package.json"), JSON.stringify({ ...manifest, dependencies }, null, 2));
}

function manifestOf(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Manifest;
}

function run(command: string, ...words: string[]): void {
  execFileSync(command, words, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
}
