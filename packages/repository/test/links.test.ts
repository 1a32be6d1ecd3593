import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isOfTemplate, repositoryFiles, root } from "@platform/test-support/clone";
import { expect, test } from "vitest";

const pages = repositoryFiles("*.md").filter((file) => !isOfTemplate(file));

test.each(pages)("the targets of the relative links in %s exist", (file) => {
  const text = readFileSync(join(root, file), "utf8").replaceAll(/^```.*?^```|`[^`\n]*`/gms, "");
  const targets = Array.from(
    text.matchAll(/\]\(([^)\s]+)[^)]*\)|^\[[^\]]+\]:\s*(\S+)/gm),
    ([, inline, named]) => inline ?? named!,
  );
  const relative = targets.filter((target) => !/^([a-z]+:|#)/.test(target)).map((target) => target.replace(/#.*/, ""));
  expect(relative.filter((target) => !existsSync(join(root, dirname(file), decodeURI(target))))).toEqual([]);
});

test.each(pages)("the headings that %s links to exist", (file) => {
  const text = readFileSync(join(root, file), "utf8").replaceAll(/^```.*?^```|`[^`\n]*`/gms, "");
  const targets = Array.from(text.matchAll(/\]\((?![a-z]+:)([^)#\s]*)#([^)\s]+)\)/g), ([, path, heading]) => {
    return { page: path === "" ? file : join(dirname(file), path!), heading: heading! };
  });
  const others = targets.filter(({ page }) => page.endsWith(".md"));
  expect(others.filter(({ page, heading }) => !anchorsOf(page).includes(heading))).toEqual([]);
});

/** The names that GitHub gives to the headings of a page. */
function anchorsOf(page: string): string[] {
  const text = readFileSync(join(root, page), "utf8").replaceAll(/^```.*?^```/gms, "");
  return Array.from(text.matchAll(/^#+ (.*)$/gm), ([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
