import { readdir, stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";

/** The time between two comparisons, in milliseconds. */
const INTERVAL_MS = 300;

/** A folder, with its subfolders or without. */
interface Folder {
  folder: string;
  isRecursive: boolean;
}

/**
 * Passes each file that is written, added or removed from now on to `notice`, by its path from the root. Resolves once the
 * state of all files is known. Every file system allows it, also those of containers and networks that report no events.
 */
export async function poll(
  root: string,
  folders: Folder[],
  notice: (file: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let before = await versionsIn(root, folders);
  void compare();

  async function compare(): Promise<void> {
    for (;;) {
      await setTimeout(INTERVAL_MS, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      const after = await versionsIn(root, folders);
      for (const [file, version] of after) if (before.get(file) !== version) notice(file);
      for (const file of before.keys()) if (!after.has(file)) notice(file);
      before = after;
    }
  }
}

/** Returns the files by path, each with a string that changes when it is written or replaced. */
async function versionsIn(root: string, folders: Folder[]): Promise<Map<string, string>> {
  const versions = new Map<string, string>();
  const note = async (path: string): Promise<void> => {
    const found = await stat(path).catch(() => undefined); // it may be gone since the folder was read
    if (found === undefined) return;
    const file = relative(root, path).replaceAll("\\", "/");
    versions.set(file, `${found.mtimeMs} ${found.size} ${found.ino}`);
  };
  for (const { folder, isRecursive } of folders) {
    const options = { recursive: isRecursive, withFileTypes: true } as const;
    const entries = await readdir(resolve(root, folder), options).catch(() => []);
    await Promise.all(
      entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => note(join(parentPath, name))),
    );
  }
  return versions;
}
