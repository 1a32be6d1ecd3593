import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repositoryFiles, root } from "@platform/test-support/clone";
import { expect, test } from "vitest";

test.each(repositoryFiles("*.md"))("the targets of the relative links in %s exist", (file) => {
  const text = readFileSync(join(root, file), "utf8").replaceAll(/^```.*?^```|`[^`\n]*`/gms, "");
  const targets = Array.from(
    text.matchAll(/\]\(([^)\s]+)[^)]*\)|^\[[^\]]+\]:\s*(\S+)/gm),
    ([, inline, named]) => inline ?? named!,
  );
  const relative = targets.filter((target) => !/^([a-z]+:|#)/.test(target)).map((target) => target.replace(/#.*/, ""));
  expect(relative.filter((target) => !existsSync(join(root, dirname(file), decodeURI(target))))).toEqual([]);
});

test.each(repositoryFiles("*.md"))("the headings that %s links to exist", (file) => {
  const text = readFileSync(join(root, file), "utf8").replaceAll(/^```.*?^```|`[^`\n]*`/gms, "");
  const targets = Array.from(text.matchAll(/\]\((?![a-z]+:)([^)#\s]*)#([^)\s]+)\)/g), ([, path, heading]) => {
    return { page: path === "" ? file : join(dirname(file), path!), heading: heading! };
  });
  const pages = targets.filter(({ page }) => page.endsWith(".md"));
  expect(pages.filter(({ page, heading }) => !anchorsOf(page).includes(heading))).toEqual([]);
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

test("the source contains each message of the troubleshooting tables", () => {
  const page = readFileSync(join(root, "apps/server/docs/operations.md"), "utf8");
  const rows = page.split("\n## Troubleshooting\n")[1]!.matchAll(/^\| ([^|]*) \|/gm);
  const messages = Array.from(rows, ([, symptom]) => symptom!).flatMap(
    (symptom) => symptom.match(/(?<=`)[^`]+(?=`)/g) ?? [],
  );
  const source = repositoryFiles("apps/server/bin", "apps/server/src", "packages/*/src/*.ts")
    .map((file) => readFileSync(join(root, file), "utf8"))
    .join("\n");
  expect(messages.length).toBeGreaterThan(30);
  expect(messages.filter((message) => !source.includes(message))).toEqual([]);
});
