import { execFile } from "node:child_process";
import { existsSync, utimesSync } from "node:fs";
import { join, posix } from "node:path";
import type { Package } from "./packages.ts";
import { installedFile } from "../paths.ts";

/** A type error reported by the compiler. */
export interface Diagnostic {
  /** The path from the root of the repository. */
  file: string;
  line: number;
  column: number;
  code: string;
  /** The error, then its reasons from the outermost to the innermost. */
  message: string[];
}

/** No garbage collection: the compiler ends soon, so it would only take time. */
const COMPILER_ENVIRONMENT = { GOGC: "off", GOMEMLIMIT: "2GiB" };

/**
 * Type-checks packages, two projects at a time, and returns the type errors. One process reads shared declarations once
 * and checks only files that have changed since the last run, and their dependents.
 */
export async function typecheck(root: string, packages: Package[], signal: AbortSignal): Promise<Diagnostic[]> {
  if (packages.length === 0) return [];
  const projects = packages.map(({ folder }) => folder);
  for (const project of projects) forceContentCheck(join(root, project, "tsconfig.tsbuildinfo"));
  const compiler = installedFile(root, "typescript/bin/tsc");
  const args = [
    compiler,
    "--build",
    ...projects,
    "--noEmit",
    "--incremental",
    "--builders",
    "2",
    "--checkers",
    "1",
    "--pretty",
    "false",
  ];
  const options = { cwd: root, env: { ...process.env, ...COMPILER_ENVIRONMENT }, signal, maxBuffer: 2 ** 26 };
  const output = await new Promise<string>((done, failed) => {
    execFile(process.execPath, args, options, (error, stdout) => {
      const hasDiagnostics = typeof error?.code === "number" && stdout !== ""; // the compiler has finished and printed type errors
      if (error === null || hasDiagnostics) done(stdout);
      else failed(error);
    });
  });
  return parseDiagnostics(output);
}

/**
 * Makes the compiler compare the content of files. It takes a file that is older than its build info for unchanged, which
 * is wrong for a file saved while it ran, or moved from elsewhere.
 */
function forceContentCheck(buildInfo: string): void {
  if (existsSync(buildInfo)) utimesSync(buildInfo, 0, 0);
}

/** Parses the output of the compiler: `src/app.ts(12,3): error TS2741: …`, with indented reasons below. */
function parseDiagnostics(output: string): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  for (const line of output.split("\n")) {
    const [, file, row, column, code, message] = /(.+?)\((\d+),(\d+)\): error (TS\d+): (.*)/.exec(line) ?? [];
    if (file !== undefined) {
      const at = { file: posix.normalize(file), line: Number(row), column: Number(column) };
      diagnostics.push({ ...at, code: code!, message: [message!] });
    } else if (/^ +\S/.test(line)) diagnostics.at(-1)?.message.push(line.trim());
    else if (line.startsWith("error ")) throw new Error(line);
  }
  return diagnostics;
}

/** Removes duplicates, because the source of a package is checked again with every package that uses it. */
export function withoutDuplicates(diagnostics: Diagnostic[]): Diagnostic[] {
  return [
    ...new Map(
      diagnostics.map((diagnostic) => [`${diagnostic.file}:${diagnostic.line}:${diagnostic.column}`, diagnostic]),
    ).values(),
  ];
}
