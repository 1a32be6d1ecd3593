import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { cloneInstalled } from "@platform/test-support/clone";
import { pnpmPath } from "@platform/test-support/pnpm";
import { expect, test } from "vitest";

const SLOW = `
import { beforeAll, test } from "vitest";
beforeAll(() => new Promise((done) => setTimeout(done, 3_100)));
test("waits", () => {});
`;

const FAILS = `
import { expect, test } from "vitest";
test("adds", () => expect(1 + 1).toBe(3));
`;

test("`test:long` prints the minutes of each long test file, the failed tests and the number of tests", () => {
  using clone = cloneInstalled();
  const folder = join(clone.directory, "apps/mock");
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { scripts: object };
  const long = "vitest run .long.test.ts";
  const scripts = { ...manifest.scripts, "test:long": long };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...manifest, scripts }));
  writeFileSync(join(folder, "test/slow.long.test.ts"), SLOW);
  writeFileSync(join(folder, "test/quick.long.test.ts"), SLOW.replace("3_100", "0"));
  writeFileSync(join(folder, "test/fails.long.test.ts"), FAILS);
  writeFileSync(join(folder, "test/broken.long.test.ts"), `throw new Error("Not loaded.\\nThe second line.");`);

  const program = join(clone.directory, "packages/repository/src/test.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, "test:long", "--filter=@platform/mock"], {
    encoding: "utf8",
    env: {
      ...process.env,
      DO_NOT_TRACK: "1",
      PATH: dirname(pnpmPath()) + delimiter + process.env["PATH"], // turbo runs scripts by pnpm
      pnpm_config_verify_deps_before_run: "false", // otherwise pnpm would install into the modules that the clone shares with this checkout
    },
  });
  const summary = stdout.slice(stdout.search(/\n 0\.[1-9] min apps\/mock\/test\/slow\.long\.test\.ts\n/));
  expect(summary, stderr).toContain("\n 0.0 min apps/mock/test/quick.long.test.ts\n");
  const [total, ...failed] = summary.slice(summary.indexOf("failed")).trimEnd().split("\n").toReversed();
  expect(failed.toReversed()).toEqual([
    "failed   @platform/mock#test:long",
    "failed   apps/mock/test/broken.long.test.ts (Not loaded.)",
    "failed   apps/mock/test/fails.long.test.ts > adds (expected 2 to be 3 // Object.is equality)",
  ]);
  expect(total).toMatch(/^2 passed, 2 failed, 0 skipped in \d+ s$/);
  expect(status).toBe(1);
});
