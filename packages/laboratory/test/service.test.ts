import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { NODE_FLAGS } from "../service/contenders.ts";

const ROOT = new URL("../../../", import.meta.url);

test("the benchmark starts Node with the flags of the Containerfile", async () => {
  const containerfile = await readFile(new URL("apps/server/Containerfile", ROOT), "utf8");
  const words = ["node", ...NODE_FLAGS, "/petstore/bin/service.js"];
  expect(NODE_FLAGS).not.toEqual([]);
  expect(containerfile).toContain(`\nENTRYPOINT [${words.map((word) => JSON.stringify(word)).join(", ")}]\n`);
});
