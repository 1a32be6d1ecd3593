import { spawnSync } from "node:child_process";
import { root } from "@platform/test-support/clone";
import { expect, test } from "vitest";

/** The service's benchmark has tests of its own. */
test.each([
  ["express-operations --rounds 1", "with white space"],
  ["streams 1 first", "│ 'ours' "],
  ["fetch-operations --rounds 1", "| orval | "],
  ["comparison", "| contract diff | "],
  ["tools --rounds 1", "by Prism: "],
])(
  "bench %s prints its tables",
  (args, expected) => {
    const words = ["packages/laboratory/bench.ts", ...args.split(" ")];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: "utf8" });
    expect(status, stderr).toBe(0);
    expect(stdout).toContain(expected);
  },
  600_000,
);
