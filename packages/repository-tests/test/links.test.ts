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
