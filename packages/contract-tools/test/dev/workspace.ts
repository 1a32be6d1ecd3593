import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** A workspace whose files a test reads and writes by their paths from its root. */
export interface Workspace {
  root: string;
  read: (file: string) => string;
  /** Replaces a file atomically, as an editor does. */
  write: (file: string, text: string) => void;
  /** Adds a package, whose code is in `src`. */
  addPackage: (folder: string, name: string, uses: string[]) => void;
}

/** The workspace in a folder. */
export function workspaceAt(root: string): Workspace {
  const write = (file: string, text: string): void => {
    const path = join(root, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}~`, text);
    renameSync(`${path}~`, path);
  };
  return {
    root,
    read: (file) => readFileSync(join(root, file), "utf8"),
    write,
    addPackage: (folder, name, uses) => {
      const dependencies = Object.fromEntries(uses.map((used) => [used, "workspace:*"]));
      write(`${folder}/package.json`, JSON.stringify({ name, dependencies }));
      write(`${folder}/tsconfig.json`, tsconfigFor("src"));
    },
  };
}

/** A `tsconfig.json` for code that uses only the language, so that type-checking is fast. */
export function tsconfigFor(include: string): string {
  const compilerOptions = {
    noEmit: true,
    lib: ["es2024"],
    types: [],
    module: "nodenext",
    allowImportingTsExtensions: true,
  };
  return JSON.stringify({ compilerOptions, include: [include] });
}

/** Installs TypeScript. */
export function linkCompiler(root: string): void {
  mkdirSync(join(root, "node_modules"));
  symlinkSync(
    resolve(import.meta.dirname, "../../../../node_modules/typescript"),
    join(root, "node_modules/typescript"),
  );
}
