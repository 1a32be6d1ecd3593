import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";

/** Files saved within this time of each other count as one change, in milliseconds. */
const SETTLE_MS = 100;

/**
 * Runs `reload` after a change to one of the files, and from then on watches the files that it returns. There is one run at a
 * time: changes during a run lead to one more. A run that rejects leaves the watched files as they are; `onFailure` gets its error.
 */
export function reloadOnChange(
  files: string[],
  reload: () => Promise<string[]>,
  onFailure: (error: unknown) => void,
): void {
  const watchers = new Map<string, FSWatcher>();
  let watched = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isRunning = false;
  let isChanged = false;
  follow(files);

  /** Watches the folders of the files: editors replace a file when they save it. A folder that is watched already stays so. */
  function follow(own: string[]): void {
    watched = new Set(own);
    const folders = new Set(own.map((file) => dirname(file)));
    for (const [folder, watcher] of watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      watchers.delete(folder);
    }
    for (const folder of folders) {
      if (!watchers.has(folder))
        watchers.set(
          folder,
          watch(folder, (_event, name) => onEvent(folder, name)),
        );
    }
  }

  function onEvent(folder: string, name: string | null): void {
    const isOurs = name === null || [...watched].some((file) => dirname(file) === folder && basename(file) === name);
    if (!isOurs) return;
    clearTimeout(timer);
    timer = setTimeout(() => void run(), SETTLE_MS);
  }

  async function run(): Promise<void> {
    isChanged = true;
    if (isRunning) return;
    isRunning = true;
    while (isChanged) {
      isChanged = false;
      await reload().then(follow).catch(onFailure);
    }
    isRunning = false;
  }
}
