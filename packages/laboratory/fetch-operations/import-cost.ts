import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";

const PROCESSES = 11;

/** Returns the bytes of a bundle of a module for browsers, minified and compressed by gzip. `file` is where the module is written. */
export async function sizeOf(code: string, file: string): Promise<number> {
  writeFileSync(file, code);
  const bundle = await rolldown({ input: file, platform: "browser", logLevel: "silent" });
  const { output } = await bundle.generate({ minify: true, format: "esm" });
  return output.reduce((sum, part) => sum + ("code" in part ? gzipSync(part.code, { level: 9 }).length : 0), 0);
}

/** Returns the milliseconds that new processes took to import a module, without the start of Node. */
export function importTime(file: string): number[] {
  const url = JSON.stringify(pathToFileURL(file).href);
  const code = `const start = performance.now(); await import(${url}); console.log(performance.now() - start);`;
  const measure = () => Number(execFileSync(process.execPath, ["--input-type=module", "--eval", code]));
  measure(); // reads the files once, so that they are cached
  return Array.from({ length: PROCESSES }, measure);
}
