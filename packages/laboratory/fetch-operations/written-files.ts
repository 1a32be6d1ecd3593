import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes files, by name, into a new or existing folder. */
export function writeFiles(files: Record<string, string>, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}
