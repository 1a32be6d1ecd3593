import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const ROOT = pathToFileURL(join(import.meta.dirname, "../../../")).href;
/** Run from its source: bundled, it would be one file. */
const PROGRAM = join(import.meta.dirname, "programs/functions-of-a-request.ts");
const MOST_FILES = 16;

interface Ran {
  url: string;
  name: string;
}

async function functionsOf(options: { kind: string; isCaching?: false }): Promise<Ran[]> {
  const args = [PROGRAM, JSON.stringify(options)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: Infinity });
  return JSON.parse(stdout) as Ran[];
}

test(`an uncached GET runs functions of at most ${MOST_FILES} of our files`, async () => {
  const all = await functionsOf({ kind: "a new GET" });
  const ours = all.filter(({ url }) => url.startsWith(ROOT) && /\/(apps|packages)\/[^/]+\/src\//.test(url));
  const byFile = Map.groupBy(ours, ({ url }) => url.slice(ROOT.length));
  const shown = Array.from(byFile, ([file, functions]) => `${file}: ${functions.map(({ name }) => name).join(" ")}`);
  expect(byFile.size, shown.toSorted().join("\n")).toBeLessThanOrEqual(MOST_FILES);
});

test.each([
  ["a repeated GET is served from the cache, without its handler", {}, false],
  ["a repeated GET runs its handler if the cache is off", { isCaching: false }, true],
] as const)("%s", async (_title, tuning, runsHandler) => {
  const all = await functionsOf({ kind: "a repeated GET", ...tuning });
  expect(all.some(({ url }) => url.endsWith("/pets.handlers.ts"))).toBe(runsHandler);
});

test("a creation with an Idempotency-Key compiles no query", async () => {
  const all = await functionsOf({ kind: "a creation" });
  expect(all.some(({ url }) => url.endsWith("/idempotency.repository.ts"))).toBe(true);
  expect(all.filter(({ url }) => url.endsWith("/default-query-compiler.js")).map(({ name }) => name)).toEqual([]);
});
