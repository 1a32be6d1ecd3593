import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { installPeers } from "../bench/install-peers.ts";

const SERVER = join(import.meta.dirname, "..");

test("the benchmark measures each workload, and all stacks return the same responses", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(SERVER, "bench/main.ts"), "--quick"]);
  for (const work of ["list 20", "list 100", "get by id", "create", "refuse with 400", "refuse with 401"])
    expect(stdout).toContain(`\n${work}, `);
  expect(stdout).toContain("│ this service ");
});

/** `lint` and `typecheck` omit the other stacks, because `pnpm test` does not install their dependencies. */
test.each([
  ["compiles", "tsc", ["--project", "bench/peers"]],
  ["passes the linter", "oxlint", ["--type-aware", "bench/peers"]],
])("the code of the other stacks %s", async (_, program, words) => {
  await installPeers();
  const { status, stdout } = spawnSync(program, words, { cwd: SERVER, encoding: "utf8" });
  expect(status, stdout).toBe(0);
});
