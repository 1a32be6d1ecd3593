import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { cloneRepository, freshEnvironment } from "@platform/test-support/clone";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/** Runs in a clone without installed packages, because `test` deletes the reports of earlier runs. */
describe("without turbo", () => {
  let clone: ReturnType<typeof cloneRepository>;

  beforeAll(() => {
    clone = cloneRepository();
  });
  afterAll(() => clone[Symbol.dispose]());

  test("`start` prints the missing program and the remedy in one line", () => {
    const { status, stdout, stderr } = run("start.ts");
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      /^turbo, .* cannot be run \(it is not installed\)\. Start through `npx -y pnpm@12\.21\.0 start`.*\.\n$/,
    );
  });

  test("`test` prints the failure, the counts and the duration", () => {
    const { status, stdout } = run("test.ts", "test");
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /^left out .*\nfailed {3}turbo itself, before any check: it is not installed\n0 passed, 0 failed, 0 skipped in \d+ s\n$/,
    );
  });

  function run(script: string, ...words: string[]) {
    return spawnSync(process.execPath, [join(clone.directory, "packages/commands/src", script), ...words], {
      cwd: clone.directory,
      encoding: "utf8",
      env: { ...freshEnvironment(), PATH: clone.directory },
    });
  }
});
