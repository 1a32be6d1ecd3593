import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { API } from "typescript/unstable/sync";
import { applyMutant, type Mutant } from "./mutants.ts";

/** Diagnostics about unused names, imports and code; they do not make a mutant invalid. */
const UNUSED_CODES = new Set([6133, 6192, 6196, 6198, 6199, 6205, 7027]);

/** Checks whether a mutant compiles, in its own file and in the files of the project that import it. */
export interface Compiler extends Disposable {
  accepts: (mutant: Mutant, source: string) => boolean;
}

/** Starts the compiler for the package at `directory`. It reads mutated files from memory. */
export function startCompiler(directory: string): Compiler {
  const changed = new Map<string, string>();
  const api = new API({ cwd: directory, fs: { readFile: (file) => changed.get(file) } });
  const config = join(directory, "tsconfig.json");
  let snapshot = api.updateSnapshot({ openProjects: [config] });
  /** Only the newest snapshot is kept, because each holds the program in memory. */
  const update = (file: string): void => {
    const old = snapshot;
    snapshot = api.updateSnapshot({ fileChanges: { changed: [file] } });
    old.dispose();
  };
  const importers = importersIn(snapshot.getProjects()[0]!.program, directory);
  return {
    accepts: (mutant, source) => {
      const file = join(directory, mutant.file);
      changed.set(file, applyMutant(source, mutant));
      update(file);
      const { program } = snapshot.getProjects()[0]!;
      const diagnostics = [file, ...(importers.get(file) ?? [])].flatMap((one) => [
        ...program.getSyntacticDiagnostics(one),
        ...program.getSemanticDiagnostics(one),
      ]);
      changed.set(file, source);
      update(file);
      return diagnostics.every(({ code }) => UNUSED_CODES.has(code));
    },
    [Symbol.dispose]: () => api.close(),
  };
}

/** Returns the importing files of each file of a package. */
function importersIn(
  program: { getSourceFileNames: () => readonly string[] },
  directory: string,
): Map<string, string[]> {
  const importers = new Map<string, string[]>();
  const own = program
    .getSourceFileNames()
    .filter((file) => file.startsWith(directory) && !file.includes("/node_modules/"));
  for (const file of own) {
    for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/from "(\.{1,2}\/[^"]+)"/g)) {
      const imported = resolve(dirname(file), path);
      importers.set(imported, [...(importers.get(imported) ?? []), file]);
    }
  }
  return importers;
}
