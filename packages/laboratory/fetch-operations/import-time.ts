import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Client } from "./clients.ts";

const PROCESSES = 11;

/** Returns the milliseconds that new processes took to import a client, without the start of Node. */
export async function importTime(folder: string, { module }: Client): Promise<number[]> {
  const url = JSON.stringify(pathToFileURL(join(folder, module)).href);
  const code = `const start = performance.now(); await import(${url}); console.log(performance.now() - start);`;
  const measure = () => Number(execFileSync(process.execPath, ["--input-type=module", "--eval", code]));
  measure(); // reads the files once, so that they are cached
  return Array.from({ length: PROCESSES }, measure);
}
