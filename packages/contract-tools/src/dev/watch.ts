import { watch } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";

/** Files saved together. */
export interface Save {
  /** The paths from the root of the repository. */
  files: Set<string>;
  /** Whether a restart of the service was requested. */
  isRestart: boolean;
  /** The time of the first file by `performance.now()`. */
  at: number;
  /** Aborts at the next save. */
  superseded: AbortSignal;
}

/** The saves from now on. */
export interface Saves extends AsyncGenerator<Save> {
  /** Adds a request to restart the service, as a save without files. */
  restart: () => void;
}

/** Files saved within this time of each other count as one save, as from "save all" in an editor or from git. */
const SETTLE_MS = 40;

/** The same while saves follow one another faster than they can be processed, and the longest time that it delays a save. */
const BURST = { settleMs: 200, maxMs: 1_000 };

/** Code and YAML. Editors and tools write other files beside them. */
const WATCHED_FILES = /^(?!.*\/node_modules\/).*\.(?:ts|js|json|ya?ml)$/;

/** The watched folders: `whole` with all subfolders, `top` without. */
export interface Watched {
  whole: string[];
  top: string[];
  /** Whether to compare the files again and again, for file systems without events. */
  isPolling?: boolean | undefined;
  /** Whether the save of a file is left out. */
  isIgnored?: (file: string) => boolean;
}

/**
 * Yields the saves in some folders from now on, beginning with `first` if there are any. Files saved while one save is processed
 * come as the next save.
 */
export async function watchSaves(
  root: string,
  { whole, top, isPolling = false, isIgnored = () => false }: Watched,
  signal: AbortSignal,
  first: string[] = [],
): Promise<Saves> {
  let files = new Set(first);
  let isRestart = false;
  let began = performance.now();
  let last = began;
  let current = new AbortController();
  let wake = (): void => {};
  const notice = (file?: string): void => {
    last = performance.now();
    if (files.size === 0 && !isRestart) began = last;
    if (file === undefined) isRestart = true;
    else files.add(file);
    current.abort();
    wake();
  };
  const noticeFile = (file: string): void => {
    if (WATCHED_FILES.test(file) && !isIgnored(file)) notice(file);
  };
  const folders = [...whole, ...top].map((folder) => ({ folder, isRecursive: whole.includes(folder) }));
  const watchers = isPolling ? [] : folders.map(({ folder, isRecursive }) => watched(folder, isRecursive));
  if (isPolling) await poll(root, folders, noticeFile, signal);
  signal.addEventListener("abort", () => wake());
  return Object.assign(settled(), { restart: () => notice() });

  function watched(folder: string, recursive: boolean) {
    const watcher = watch(resolve(root, folder), { recursive });
    return watcher.on("change", (_event, name) =>
      noticeFile(relative(root, resolve(root, folder, String(name))).replaceAll("\\", "/")),
    );
  }

  async function* settled(): AsyncGenerator<Save> {
    try {
      while (!signal.aborted) {
        const isBurst = current.signal.aborted;
        const until = isBurst ? Math.min(last + BURST.settleMs, began + BURST.maxMs) : last + SETTLE_MS;
        const remaining = until - performance.now();
        if (files.size === 0 && !isRestart) await new Promise<void>((done) => (wake = done));
        else if (remaining > 0) await setTimeout(remaining);
        else {
          current = new AbortController();
          const save = { files, isRestart, at: began, superseded: current.signal };
          files = new Set();
          isRestart = false;
          yield save;
        }
      }
    } finally {
      for (const watcher of watchers) watcher.close();
    }
  }
}

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
async function poll(
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
