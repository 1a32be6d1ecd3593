import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repositoryFiles, root } from "@platform/test-support/clone";
import { expect, test } from "vitest";

test.each(repositoryFiles("*.md"))("the relative links of %s lead somewhere", (file) => {
  const text = readFileSync(join(root, file), "utf8").replaceAll(/^```.*?^```|`[^`\n]*`/gms, "");
  const targets = Array.from(
    text.matchAll(/\]\(([^)\s]+)[^)]*\)|^\[[^\]]+\]:\s*(\S+)/gm),
    ([, inline, named]) => inline ?? named!,
  );
  const relative = targets.filter((target) => !/^([a-z]+:|#)/.test(target)).map((target) => target.replace(/#.*/, ""));
  expect(relative.filter((target) => !existsSync(join(root, dirname(file), decodeURI(target))))).toEqual([]);
});

const PROMISES = readFileSync(join(root, "apps/server/docs/promises.md"), "utf8");
const NAMED = Array.from(
  PROMISES.matchAll(/`(?:([\w-]+): )?vitest run ([^`]*)`/g),
  ([, name, files]) => [name === undefined ? "apps/server" : `packages/${name}`, files!] as const,
);

test.each(NAMED)("a promise of the server is held by tests of %s that are there: %s", (folder, files) => {
  const tests = repositoryFiles(`${folder}/*.test.ts`);
  const named = files.split(" ").filter((word) => word.startsWith("test/"));
  expect(named.filter((part) => !tests.some((file) => file.startsWith(`${folder}/${part}`)))).toEqual([]);
});
