/** `pnpm surface`: prints each export of the published packages. Two states of the repository are compared as texts. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createProgram } from "@platform/command-line";
import { root } from "@platform/test-support/clone";
import ts from "typescript-with-api";

interface Manifest {
  name: string;
  private?: boolean;
  exports?: Record<string, string>;
}

createProgram("surface", {
  description: "Prints each export of the published packages with its type.",
  folder: import.meta.dirname,
}).parse();

console.log(surface());

/** Returns a line for each entry, and below it each export with its declaration or its type. */
function surface(): string {
  const folders = readdirSync(join(root, "packages")).map((name) => join(root, "packages", name));
  const entries = folders.flatMap((folder) => {
    const { name, private: isPrivate, exports = {} } = manifestOf(folder);
    return isPrivate === true
      ? []
      : Object.entries(exports).map(([path, file]) => ({ name: join(name, path), file: join(folder, file) }));
  });
  const program = ts.createProgram({
    rootNames: entries.map(({ file }) => file),
    options: {
      strict: true,
      exactOptionalPropertyTypes: true,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ESNext,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      noEmit: true,
    },
  });
  return entries
    .toSorted((one, other) => one.name.localeCompare(other.name))
    .map(({ name, file }) => [`# ${name}`, ...exportsOf(program, file), ""].join("\n"))
    .join("\n");
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

function exportsOf(program: ts.Program, file: string): string[] {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file)!;
  const module = checker.getSymbolAtLocation(source);
  return (module ? checker.getExportsOfModule(module) : [])
    .map((symbol) => {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const [declaration] = target.declarations ?? [];
      const isType = (target.flags & (ts.SymbolFlags.Type | ts.SymbolFlags.Class)) !== 0;
      const text =
        declaration === undefined || !isType || ts.isClassDeclaration(declaration)
          ? checker.typeToString(
              checker.getTypeOfSymbolAtLocation(target, source),
              source,
              ts.TypeFormatFlags.NoTruncation,
            )
          : declaration.getText();
      return `${symbol.name}: ${text.replaceAll(/import\("[^"]*"\)\./g, "").replaceAll(/\s+/g, " ")}`;
    })
    .toSorted();
}
