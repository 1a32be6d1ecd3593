import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { NODE_FLAGS } from "../bench/contenders.ts";
import { PATCHES } from "../bench/patches.ts";

const BENCH = fileURLToPath(new URL("../bench/main.ts", import.meta.url));
const ROOT = new URL("../../../", import.meta.url);

test("the benchmark runs: all stacks answer the same, and each work is measured", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [BENCH, "--quick"]);
  for (const work of ["list 20", "list 100", "get by id", "create", "refuse with 400", "refuse with 401"])
    expect(stdout).toContain(`\n${work}, `);
  expect(stdout).toContain("│ this service ");
});

test.each(Object.entries(PATCHES))("the source still says what is measured %s", async (_, { file, from }) => {
  expect((await readFile(new URL(file, ROOT), "utf8")).split(from)).toHaveLength(2);
});

test("Node is started for the benchmark as the unit and the Containerfile start it", async () => {
  const containerfile = await readFile(new URL("apps/server/Containerfile", ROOT), "utf8");
  const words = ["node", ...NODE_FLAGS, "/petstore/bin/petstore.js"];
  expect(NODE_FLAGS).not.toEqual([]);
  expect(containerfile).toContain(`\nENTRYPOINT [${words.map((word) => JSON.stringify(word)).join(", ")}]\n`);
});
