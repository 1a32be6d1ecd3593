import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { cloneRepository, freshEnvironment } from "@platform/test-support/clone";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/** Runs in a clone without installed packages, because `test` deletes the reports of earlier runs. */
describe("without installed packages", () => {
  let clone: ReturnType<typeof cloneRepository>;

  beforeAll(() => {
    clone = cloneRepository();
  });
  afterAll(() => clone[Symbol.dispose]());

  test.each([["contract-tools/bin/start-service.js"], ["repository/src/test.ts", "test"]])(
    "%s prints the remedy in one line",
    (script, ...words) => {
      const program = join(clone.directory, "packages", script);
      const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
        cwd: clone.directory,
        encoding: "utf8",
        env: { ...freshEnvironment(), PATH: clone.directory },
      });
      expect([status, stdout, stderr]).toEqual([
        1,
        "",
        "The packages are not installed. Run `npx -y pnpm@12.21.0 install` first.\n",
      ]);
    },
  );
});
