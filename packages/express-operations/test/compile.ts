import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Returns the path of a file of this package, with slashes on each platform, as the imports of a program need. */
export const packageFile = (path: string) =>
  fileURLToPath(new URL(`../${path}`, import.meta.url)).replaceAll("\\", "/");

/** The compilers that the types are tested with, and their folders: the one of this repository, and the last one written in JavaScript. */
const FOLDERS = { "TypeScript 7": "../../node_modules/typescript", "TypeScript 5.9": "node_modules/typescript" };
export const COMPILERS = Object.keys(FOLDERS) as (keyof typeof FOLDERS)[];

/** Checks a program with this package's settings, in one thread, because then every run has the same counts. */
export function compile(program: string, compiler: keyof typeof FOLDERS = "TypeScript 7"): string {
  const directory = mkdtempSync(join(tmpdir(), "handler-types-"));
  try {
    writeFileSync(join(directory, "program.mts"), program);
    const compilerOptions = {
      types: [packageFile("node_modules/@types/node")],
      allowImportingTsExtensions: true,
      rewriteRelativeImportExtensions: false,
      noUnusedLocals: false,
    };
    const settings = { extends: packageFile("tsconfig.json"), compilerOptions, include: ["program.mts"] };
    writeFileSync(join(directory, "tsconfig.json"), JSON.stringify(settings));
    const tsc = packageFile(`${FOLDERS[compiler]}/bin/tsc`);
    const options = ["--pretty", "false", "--extendedDiagnostics"];
    if (compiler === "TypeScript 7") options.push("--singleThreaded");
    return spawnSync(process.execPath, [tsc, "-p", directory, ...options], { encoding: "utf8", maxBuffer: 2 ** 28 })
      .stdout;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** A figure of `--extendedDiagnostics`. */
export function figure(output: string, name: string): number {
  return Number(new RegExp(`^${name}: +([\\d.]+)`, "m").exec(output)![1]);
}
