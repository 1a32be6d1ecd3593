import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { installPeers } from "../measuring/install.ts";

beforeAll(installPeers, 300_000);

/** The code that needs packages which `test` does not install; `lint` and `typecheck` omit it. */
test.each([
  ["compiles", "tsc", "--project"],
  ["passes the linter", "oxlint", "--type-aware"],
])(
  "the code of the peers %s",
  (_, program, option) => {
    const cwd = join(import.meta.dirname, "..");
    const { status, stdout } = spawnSync(program, [option, "peers"], { cwd, encoding: "utf8" });
    expect(status, stdout).toBe(0);
  },
  120_000,
);
