import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Returns the names of files that are missing from a folder, have another text there, or do not belong there. */
export async function findMismatches(
  files: Record<string, string>,
  folder: string,
): Promise<{ stale: string[]; surplus: string[] }> {
  const present = await readdir(folder).catch(() => []);
  const stale: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    const own = await readFile(join(folder, name), "utf8").catch(() => undefined);
    if (own !== text) stale.push(name);
  }
  return { stale, surplus: present.filter((name) => !Object.hasOwn(files, name)) };
}

/** Writes the files that differ and returns their names. A file that an earlier version generated is deleted. */
export async function writeFiles(files: Record<string, string>, folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const { stale, surplus } = await findMismatches(files, folder);
  for (const name of stale) await writeFile(join(folder, name), files[name]!);
  for (const name of surplus) {
    const text = await readFile(join(folder, name), "utf8").catch(() => "");
    if (text.startsWith("// Generated from the contract by ")) await rm(join(folder, name));
  }
  return stale;
}
