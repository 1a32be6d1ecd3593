import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Save, watchSaves } from "../../src/dev/watch.ts";
import { temporaryFolder } from "./started.ts";

const FOLDERS = ["whole/below", "whole/ignored", "whole/node_modules/a", "whole/dist", "top/below", "other"];

/** Watches a new root: one folder with its subfolders, and another without them. */
async function watched(isPolling = false) {
  const root = temporaryFolder();
  for (const folder of FOLDERS) mkdirSync(join(root, folder), { recursive: true });
  const stopping = new AbortController();
  const isIgnored = (file: string): boolean => file.includes("/ignored/");
  const later = await watchSaves(root, { whole: ["whole"], top: ["top"], isPolling, isIgnored }, stopping.signal);
  onTestFinished(() => {
    stopping.abort();
    void later.return(undefined);
  });
  return {
    save: (...files: string[]) => files.forEach((file) => writeFileSync(join(root, file), "")),
    remove: (file: string) => rmSync(join(root, file)),
    restart: later.restart,
    next: async (): Promise<Save> => (await later.next()).value!,
  };
}

describe("a save", { timeout: 20_000 }, () => {
  test.each([
    ["by events", false],
    ["by polling", true],
  ])("contains code and YAML files of the watched folders, but no ignored or installed files, %s", async (_, poll) => {
    const { save, next } = await watched(poll);
    save("whole/ignored/a.ts", "whole/node_modules/a/a.ts", "top/below/a.ts", "other/a.ts");
    save("whole/a.ts~", "whole/a.ts.tmp", "whole/below/a.md", "top/ts");
    const files = [
      "whole/a.ts",
      "whole/dist/a.ts",
      "whole/below/a.yaml",
      "whole/below/a.yml",
      "top/a.js",
      "top/a.json",
    ];
    save(...files);
    const saved = new Set<string>();
    while (saved.size < files.length) for (const file of (await next()).files) saved.add(file);
    expect(saved).toEqual(new Set(files));
  });

  test("ends 40 ms after its last file, and has the time of its first file", async () => {
    for (let size = 0; size < 2;) {
      const { save, next } = await watched();
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
    const { save, next } = await watched();
    save("top/a.ts");
    await next();
    save("top/b.ts");
    await setTimeout(60);
    expect((await next()).files).toEqual(new Set(["top/b.ts"]));
  });

  test("contains written, replaced and removed files once, by polling", async () => {
    const { save, remove, next } = await watched(true);
    save("top/a.ts");
    expect((await next()).files).toEqual(new Set(["top/a.ts"]));
    save("top/a.ts", "whole/below/b.ts");
    expect((await next()).files).toEqual(new Set(["top/a.ts", "whole/below/b.ts"]));
    remove("top/a.ts");
    expect((await next()).files).toEqual(new Set(["top/a.ts"]));
  });

  test("is aborted by the next one or by a request to restart, which has no files", async () => {
    const { save, restart, next } = await watched();
    save("top/a.ts");
    const first = await next();
    expect(first).toMatchObject({ isRestart: false, superseded: { aborted: false } });
    save("top/b.ts");
    await once(first.superseded, "abort");
    const second = await next();
    expect(second.superseded.aborted).toBe(false);
    restart();
    expect(second.superseded.aborted).toBe(true);
    expect(await next()).toMatchObject({ files: new Set(), isRestart: true });
  });

  test("comes at least once a second while files are saved ten times a second, and none is lost", async () => {
    const { save, next } = await watched();
    const names = Array.from({ length: 25 }, (_, index) => `top/${index}.ts`);
    const saving = (async () => {
      for (const name of names) {
        save(name);
        await setTimeout(100);
      }
    })();
    const saved: string[] = [];
    let count = 0;
    while (saved.length < names.length) {
      saved.push(...(await next()).files);
      count++;
    }
    await saving;
    expect(saved).toEqual(names); // each once
    expect(count).toBeGreaterThan(2);
    expect(count).toBeLessThan(8);
  });
});
