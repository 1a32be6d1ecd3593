import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryFiles, root } from "@platform/test-support/clone";
import { expect, test } from "vitest";

const PROMISES = readFileSync(join(root, "apps/server/docs/promises.md"), "utf8");
const NAMED = Array.from(
  PROMISES.matchAll(/`(?:([\w-]+): )?vitest run ([^`]*)`/g),
  ([, name, files]) => [name === undefined ? "apps/server" : `packages/${name}`, files!] as const,
);

test.each(NAMED)("the tests in %s that the server's promises name exist: %s", (folder, files) => {
  const tests = repositoryFiles(`${folder}/*.test.ts`);
  const named = files.split(" ").filter((word) => word.startsWith("test/"));
  expect(named.filter((part) => !tests.some((file) => file.startsWith(`${folder}/${part}`)))).toEqual([]);
});
