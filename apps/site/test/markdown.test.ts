import { join } from "node:path";
import { root } from "@platform/test-support/clone";
import { createMarkdownRenderer } from "vitepress";
import { beforeAll, expect, test, vi } from "vitest";

let render: (markdown: string) => Promise<string>;
beforeAll(async () => {
  vi.stubEnv("GITHUB_REPOSITORY", undefined);
  const { asOnGitHub } = await import("../src/markdown.ts");
  vi.unstubAllEnvs();
  const md = await createMarkdownRenderer(root, { config: asOnGitHub });
  render = (markdown) =>
    md.renderAsync(markdown, { realPath: join(root, "packages/client/README.md"), cleanUrls: true });
});

test.each([
  ["a link to a page", "[a](../../README.md#try-it)", '<a href="/#try-it">a</a>'],
  ["a link to a heading", "[a](#use)", '<a href="#use">a</a>'],
  ["a link elsewhere", "[a](https://a.test/b.md)", '<a href="https://a.test/b.md"'],
  [
    "the text of a link to a file, without an address",
    "[a](src/index.ts)",
    '<span title="packages/client/src/index.ts">a</span>',
  ],
  [
    "the file of a block",
    "```ts src/pets/pets.table.ts before=x\n1\n```",
    '<p class="file">src/pets/pets.table.ts</p>',
  ],
  ["no heading for a column without one", "| | a |\n|-|-|\n| b | c |", "<td></td>\n<th>a</th>"],
  ["a diagram", "```mermaid\nflowchart TD\n  a --> b\n```", '<div class="diagram"'],
])("shows %s", async (_, markdown, expected) => {
  expect(await render(markdown)).toContain(expected);
});

test("shows a picture in both schemes, and a diagram without a font of another host", async () => {
  const picture = '<picture>\n<source srcset="d.svg">\n<img alt="A" src="l.svg">\n</picture>';
  expect(await render(picture)).toContain(
    '<img class="light" alt="A" src="./l.svg"><img class="dark" alt="A" src="./d.svg">',
  );
  expect(await render("```mermaid\nflowchart TD\n  a --> b\n```")).not.toMatch(/https?:\/\/(?!www\.w3\.org)/);
});
