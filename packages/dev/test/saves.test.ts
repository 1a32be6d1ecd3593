import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Save, saves } from "../src/saves.ts";
import { temporaryFolder } from "./started.ts";

const FOLDERS = ["whole/below", "whole/generated", "whole/node_modules/a", "whole/dist", "top/below", "other"];

/** Watches a new root: one folder with its subfolders, and another without them. */
function watched() {
  const root = temporaryFolder();
  for (const folder of FOLDERS) mkdirSync(join(root, folder), { recursive: true });
  const stopping = new AbortController();
  const later = saves(root, { whole: ["whole"], top: ["top"] }, stopping.signal);
  onTestFinished(() => {
    stopping.abort();
    void later.return(undefined);
  });
  return {
    save: (...files: string[]) => files.forEach((file) => writeFileSync(join(root, file), "")),
    next: async (): Promise<Save> => (await later.next()).value!,
  };
}

describe("a save", { timeout: 20_000 }, () => {
  test("contains code and YAML files of the watched folders, but no generated or installed files", async () => {
    const { save, next } = watched();
    save("whole/generated/a.ts", "whole/node_modules/a/a.ts", "whole/dist/a.js", "top/below/a.ts", "other/a.ts");
    save("whole/a.ts~", "whole/a.ts.tmp", "whole/below/a.md", "top/ts");
    const files = ["whole/a.ts", "whole/below/a.yaml", "whole/below/a.yml", "top/a.js", "top/a.json"];
    save(...files);
    const saved = new Set<string>();
    while (saved.size < files.length) for (const file of (await next()).files) saved.add(file);
    expect(saved).toEqual(new Set(files));
  });

  test("ends 40 ms after its last file, and has the time of its first file", async () => {
    for (let size = 0; size < 2;) {
      const { save, next } = watched();
      const before = performance.now();
      save("top/a.ts");
      const saving = next();
      await setTimeout(20);
      await setImmediate(); // the save is noticed by now
      const between = performance.now();
      save("top/b.ts");
      const { files, at } = await saving;
      expect(at).toBeGreaterThan(before);
      expect(at).toBeLessThan(between);
      expect(performance.now() - at).toBeGreaterThanOrEqual(40);
      ({ size } = files); // on a busy machine there may be two saves
    }
  });

  test("may begin while the previous save is processed", async () => {
    const { save, next } = watched();
    save("top/a.ts");
    await next();
    save("top/b.ts");
    await setTimeout(60);
    expect((await next()).files).toEqual(new Set(["top/b.ts"]));
  });
});
