import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryFiles, root } from "@platform/test-support/clone";
import { expect, test } from "vitest";

test.each(repositoryFiles("apps/*/package.json", "packages/*/package.json"))("%s exports no test file", (file) => {
  const { exports = {} } = JSON.parse(readFileSync(join(root, file), "utf8")) as { exports?: object };
  expect(pathsIn(exports).filter((path) => /^\.\/test\/|\.test\.ts$/.test(path))).toEqual([]);
});

/** Returns every path of the field, under all conditions: https://nodejs.org/api/packages.html#exports */
function pathsIn(exports: string | object): string[] {
  return typeof exports === "string" ? [exports] : Object.values(exports).flatMap(pathsIn);
}
