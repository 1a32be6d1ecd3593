import { watch } from "node:fs";
import { relative, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";

/** What was saved, and when the first of it was, by `performance.now()`. */
export interface Save {
  /** From the root of the repository. */
  files: Set<string>;
  at: number;
}

/** A save of several files, as an editor's "save all" or git makes it, counts as one when no more than this lies between. */
const SETTLE_MS = 40;

/** What counts is code and YAML; editors and tools write other things beside it, and `generated` is our own writing. */
const WATCHED_FILES = /^(?!.*\/(?:node_modules|dist|generated)\/).*\.(?:ts|js|json|ya?ml)$/;

/** Which folders are watched: `whole` with all that is below them, of `top` only the files in the folder itself. */
export interface Watched {
  whole: string[];
  top: string[];
}

/** The saves in some folders from now on; what is saved while one is worked on comes as the next. */
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
