import { execFile } from "node:child_process";
import { existsSync, utimesSync } from "node:fs";
import { join, normalize } from "node:path";
import type { Package } from "./packages.ts";

/** Where the compiler does not agree. */
export interface Diagnostic {
  /** From the root of the repository. */
  file: string;
  line: number;
  column: number;
  code: string;
  /** What does not fit, and below it why, from the outside in. */
  message: string[];
}

/** Its memory is reclaimed when it ends, soon; to collect garbage before only takes time. */
const COMPILER_ENVIRONMENT = { GOGC: "off", GOMEMLIMIT: "2GiB" };

/**
 * Type-checks packages, two projects at a time, and gives what does not compile. One process reads the declarations that
 * they share once, and looks again only at what has changed since the last time, or uses what has.
 */
export async function typecheck(root: string, packages: Package[], signal: AbortSignal): Promise<Diagnostic[]> {
  const projects = packages.map(({ folder }) => folder);
  for (const project of projects) forceContentCheck(join(root, project, "tsconfig.tsbuildinfo"));
  const compiler = join(root, "node_modules/typescript/bin/tsc");
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
      const hasDiagnostics = typeof error?.code === "number" && stdout !== ""; // it has run to its end, and says what it found
      if (error === null || hasDiagnostics) done(stdout);
      else failed(error);
    });
  });
  return parseDiagnostics(output);
}

/**
 * Has the compiler compare the content of files: it takes one for unchanged that is older than what it wrote down of the
 * last time, as is what was saved while it ran, or moved from elsewhere.
 */
function forceContentCheck(buildInfo: string): void {
  if (existsSync(buildInfo)) utimesSync(buildInfo, 0, 0);
}

/** Reads what the compiler prints: `src/app.ts(12,3): error TS2741: …`, and indented below it why. */
function parseDiagnostics(output: string): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  for (const line of output.split("\n")) {
    const [, file, row, column, code, message] = /(.+?)\((\d+),(\d+)\): error (TS\d+): (.*)/.exec(line) ?? [];
    if (file !== undefined) {
      const at = { file: normalize(file), line: Number(row), column: Number(column) };
      diagnostics.push({ ...at, code: code!, message: [message!] });
    } else if (/^ +\S/.test(line)) diagnostics.at(-1)?.message.push(line.trim());
    else if (line.startsWith("error ")) throw new Error(line);
  }
  return diagnostics;
}
