import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const PROGRAM = join(import.meta.dirname, "../bench.ts");

/** The service's benchmark has tests of its own. */
test.each([
  ["express-operations --rounds 1", "with white space"],
  ["streams 1 first", "│ 'ours' "],
  ["fetch-operations --rounds 1", "| octokit | "],
  ["dev --rounds 1", "new service"],
])(
  "bench %s prints its tables",
  (args, expected) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args.split(" ")], { encoding: "utf8" });
    expect(status, stderr).toBe(0);
    expect(stdout).toContain(expected);
  },
  300_000,
);
