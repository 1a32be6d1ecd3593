import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";

const ROOT = pathToFileURL(join(import.meta.dirname, "../../../")).href;
/** Run from its source: bundled, it would be one file. */
const [PROGRAM, RECORDER] = ["functions-of-a-request.ts", "record-entries.ts"].map((name) =>
  join(import.meta.dirname, "programs", name),
);

interface Ran {
  url: string;
  name: string;
}

interface Recorded {
  ran: Ran[];
  entered: [file: string, entries: number][];
}

async function record(options: { kind: string; isCaching?: false }): Promise<Recorded> {
  const args = ["--import", RECORDER!, PROGRAM!, JSON.stringify(options)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: Infinity });
  return JSON.parse(stdout) as Recorded;
}

describe.each([
  { title: "an uncached GET", kind: "a new GET", mostFiles: 10, mostEntries: 2 },
  { title: "an uncached GET with an uncached key", kind: "a new GET with a new key", mostFiles: 12, mostEntries: 3 },
])("$title", ({ kind, mostFiles, mostEntries }) => {
  let recorded: Recorded;

  beforeAll(async () => {
    recorded = await record({ kind });
  });

  test(`runs functions of at most ${mostFiles} of our files`, () => {
    const ours = recorded.ran.filter(({ url }) => url.startsWith(ROOT) && /\/(apps|packages)\/[^/]+\/src\//.test(url));
    const byFile = Map.groupBy(ours, ({ url }) => url.slice(ROOT.length));
    const shown = Array.from(byFile, ([file, functions]) => `${file}: ${functions.map(({ name }) => name).join(" ")}`);
    expect(byFile.size, shown.toSorted().join("\n")).toBeLessThanOrEqual(mostFiles);
  });

  test(`enters none of them more than ${mostEntries} times`, () => {
    expect(recorded.entered.length).toBeGreaterThanOrEqual(5);
    expect(recorded.entered.filter(([, entries]) => entries > mostEntries)).toEqual([]);
  });
});

test.each([
  ["a repeated GET is served from the cache, without its handler", {}, false],
  ["a repeated GET runs its handler if the cache is off", { isCaching: false }, true],
] as const)("%s", async (_title, tuning, runsHandler) => {
  const { ran } = await record({ kind: "a repeated GET", ...tuning });
  expect(ran.some(({ url }) => url.endsWith("/pets.handlers.ts"))).toBe(runsHandler);
});

test("a creation with an Idempotency-Key compiles no query", async () => {
  const { ran } = await record({ kind: "a creation" });
  expect(ran.some(({ url }) => url.endsWith("/idempotent.ts"))).toBe(true);
  expect(ran.filter(({ url }) => url.endsWith("/default-query-compiler.js")).map(({ name }) => name)).toEqual([]);
});
