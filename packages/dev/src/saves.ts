import { watch } from "node:fs";
import { relative, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";

/** Files saved together, and the time of the first by `performance.now()`. */
export interface Save {
  /** The paths from the root of the repository. */
  files: Set<string>;
  at: number;
}

/** Files saved within this time of each other count as one save, as from "save all" in an editor or from git. */
const SETTLE_MS = 40;

/** Code and YAML. Editors and tools write other files beside them, and the loop itself writes `generated`. */
const WATCHED_FILES = /^(?!.*\/(?:node_modules|dist|generated)\/).*\.(?:ts|js|json|ya?ml)$/;

/** The watched folders: `whole` with all subfolders, `top` without. */
export interface Watched {
  whole: string[];
  top: string[];
}

/** Yields the saves in some folders from now on. Files saved while one is processed come as the next save. */
export function saves(root: string, { whole, top }: Watched, signal: AbortSignal): AsyncGenerator<Save> {
  let files = new Set<string>();
  let first = 0;
  let last = 0;
  let wake = (): void => {};
  const notice = (file: string): void => {
    if (!WATCHED_FILES.test(file)) return;
    last = performance.now();
    if (files.size === 0) first = last;
    files.add(file);
    wake();
  };
  const watchers = [...whole, ...top].map((folder) => {
    const watcher = watch(resolve(root, folder), { recursive: whole.includes(folder) });
    watcher.on("change", (_event, name) => notice(relative(root, resolve(root, folder, String(name)))));
    return watcher;
  });
  signal.addEventListener("abort", () => wake());
  return settled();

  async function* settled(): AsyncGenerator<Save> {
    try {
      while (!signal.aborted) {
        const remaining = SETTLE_MS - (performance.now() - last);
        if (files.size === 0) await new Promise<void>((done) => (wake = done));
        else if (remaining > 0) await setTimeout(remaining);
        else {
          const save = { files, at: first };
          files = new Set();
          yield save;
        }
      }
    } finally {
      for (const watcher of watchers) watcher.close();
    }
  }
}
