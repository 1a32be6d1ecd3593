import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isOfTemplate, repositoryFiles, root } from "@platform/test-support/clone";
import { expect, test } from "vitest";

const PROMISES = readFileSync(join(root, "apps/server/docs/promises.md"), "utf8");
const NAMED = Array.from(
  PROMISES.matchAll(/`(?:([\w-]+): )?vitest run ([^`]*)`|`pnpm --filter @platform\/([\w-]+) test\b ?([^`:]*)`/g),
  ([, name, files, filtered, filter]) => {
    const folder = name ?? filtered;
    return [folder === undefined ? "apps/server" : `packages/${folder}`, files ?? filter!] as const;
  },
);

test.each(NAMED)("every test in %s that the server's promises name is run: %s", (folder, words) => {
  const filters = words
    .split(" ")
    .filter((word, index, all) => !/^-|^…?$/.test(word) && all[index - 1] !== "--project");
  // As the shared configuration of Vitest: long tests run only if the command names one.
  const areLongRun = filters.some((filter) => filter.includes(".long.test"));
  const tests = repositoryFiles(`${folder}/*.test.ts`).filter((file) => areLongRun || !file.includes(".long.test"));
  expect(filters.filter((filter) => !tests.some((file) => file.slice(folder.length).includes(filter)))).toEqual([]);
});

const manifests = repositoryFiles("apps/*/package.json", "packages/*/package.json")
  .filter((file) => !isOfTemplate(file))
  .map(
    (file) => JSON.parse(readFileSync(join(root, file), "utf8")) as { name: string; scripts?: Record<string, string> },
  );
const SCRIPTS = repositoryFiles("*.md").flatMap((page) =>
  // `--filter <package> <script>`, and scripts that follow it in a row, as in "`--filter a test`, `test:long`".
  Array.from(
    readFileSync(join(root, page), "utf8").matchAll(/--filter ([@\w/-]+) (\w[\w:-]*(?:`, `test:[\w-]+)*)/g),
    ([, name, scripts]) => scripts!.split("`, `").map((script) => [page, script, name!] as const),
  ).flat(),
);

test.each(SCRIPTS)("%s names the script %s of %s, which exists", (_, script, name) => {
  const scripts = manifests.find((manifest) => manifest.name === name)?.scripts ?? {};
  expect(["exec", "pack", "run", ...Object.keys(scripts)]).toContain(script);
});
