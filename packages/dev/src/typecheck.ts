import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join, normalize } from "node:path";
import type { Package } from "./packages.ts";

/** Where the compiler does not agree. */
export interface TypeFault {
  /** From the root of the repository. */
  file: string;
  line: number;
  column: number;
  code: string;
  /** What does not fit, and below it why, from the outside in. */
  message: string[];
}

/** Type-checks a package from where its last check left off, and gives what does not compile. */
export async function typeFaults(root: string, { folder }: Package, signal: AbortSignal): Promise<TypeFault[]> {
  const memory = join(root, ".turbo/dev");
  await mkdir(memory, { recursive: true });
  const info = join(memory, `${folder.replaceAll("/", "-")}.tsbuildinfo`);
  const words = ["--noEmit", "--incremental", "--tsBuildInfoFile", info, "--checkers", "1", "--pretty", "false"];
  const options = { cwd: join(root, folder), signal, maxBuffer: 2 ** 26 };
  const output = await new Promise<string>((done, failed) => {
    const child = execFile(join(root, "node_modules/.bin/tsc"), words, options, (error, stdout, stderr) => {
      if (child.exitCode === null || (error !== null && stdout === "")) failed(error ?? new Error(stderr));
      else done(stdout);
    });
  });
  return parseFaults(output, folder);
}

/** Reads what the compiler prints: `src/app.ts(12,3): error TS2741: …`, and indented below it why. */
export function parseFaults(output: string, folder: string): TypeFault[] {
  const faults: TypeFault[] = [];
  for (const line of output.split("\n")) {
    const [, file, row, column, code, message] = /^(.+?)\((\d+),(\d+)\): error (TS\d+): (.*)$/.exec(line) ?? [];
    if (file !== undefined) {
      const at = { file: normalize(join(folder, file)), line: Number(row), column: Number(column) };
      faults.push({ ...at, code: code!, message: [message!] });
    } else if (/^ +\S/.test(line)) faults.at(-1)?.message.push(line.trim());
    else if (line.startsWith("error ")) faults.push({ file: folder, line: 1, column: 1, code: "", message: [line] });
  }
  return faults;
}
