import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const ROOT = pathToFileURL(join(import.meta.dirname, "../../../")).href;
/** Run from its source: bundled, it would be one file. */
const PROGRAM = join(import.meta.dirname, "programs/functions-of-a-get.ts");
const MOST_FILES = 15;

test(`an uncached GET runs functions of at most ${MOST_FILES} of our files`, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM], { maxBuffer: Infinity });
  const all = JSON.parse(stdout) as { url: string; name: string }[];
  const ours = all.filter(({ url }) => url.startsWith(ROOT) && /\/(apps|packages)\/[^/]+\/src\//.test(url));
  const byFile = Map.groupBy(ours, ({ url }) => url.slice(ROOT.length));
  const shown = Array.from(byFile, ([file, functions]) => `${file}: ${functions.map(({ name }) => name).join(" ")}`);
  expect(byFile.size, shown.toSorted().join("\n")).toBeLessThanOrEqual(MOST_FILES);
});
