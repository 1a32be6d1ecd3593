import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { installPeers } from "../bench/install-peers.ts";

const SERVER = join(import.meta.dirname, "..");

test("the benchmark runs: all stacks answer the same, and each work is measured", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(SERVER, "bench/main.ts"), "--quick"]);
  for (const work of ["list 20", "list 100", "get by id", "create", "refuse with 400", "refuse with 401"])
    expect(stdout).toContain(`\n${work}, `);
  expect(stdout).toContain("│ this service ");
});

/** `lint` and `typecheck` leave them out, since `pnpm test` does not install what they are made of. */
test.each([
  ["compiles", "tsc", ["--project", "bench/peers"]],
  ["passes the linter", "oxlint", ["--type-aware", "bench/peers"]],
])("what the service is measured beside %s", (_, program, words) => {
  installPeers();
  const { status, stdout } = spawnSync(program, words, { cwd: SERVER, encoding: "utf8" });
  expect(status, stdout).toBe(0);
});
