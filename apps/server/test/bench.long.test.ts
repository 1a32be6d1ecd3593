import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const BENCH = fileURLToPath(new URL("../bench/main.ts", import.meta.url));

test("the benchmark runs: all stacks answer the same, and each work is measured", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [BENCH, "--quick"]);
  for (const work of ["list 20", "list 100", "get by id", "create", "refuse with 400", "refuse with 401"])
    expect(stdout).toContain(`\n${work}, `);
  expect(stdout).toContain("│ this service ");
});
