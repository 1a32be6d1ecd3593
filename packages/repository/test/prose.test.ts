import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const SCRIPT = resolve(import.meta.dirname, "../src/prose.ts");

const words = (count: number) => `Word${" word".repeat(count - 1)}`;
const TOO_LONG = "sentence-length: 26 words, at most 25. Split it.";

describe("the prose linter", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "prose-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each<[name: string, file: string, text: string, expected: [line: number, error: string][]]>([
    ["accepts a sentence of 25 words", "page.md", `Title\n\n${words(25)}. ${words(25)}.\n`, []],
    ["reports a longer sentence on its line", "page.md", `One.\nTwo.\n${words(20)}\n${words(6)}.\n`, [[3, TOO_LONG]]],
    ["counts the words of each list item", "page.md", `- ${words(25)}\n- ${words(26)}\n`, [[2, TOO_LONG]]],
    [
      "counts the words of each table cell",
      "page.md",
      `| a | b |\n|---|---|\n| ${words(25)} | ${words(26)} |\n`,
      [[3, TOO_LONG]],
    ],
    ["counts the words of each phrase in a cell", "page.md", `| a |\n|---|\n| ${words(20)}; ${words(20)} |\n`, []],
    [
      "counts a code span as one word and a link by its label",
      "page.md",
      `${words(22)} \`a b c\` [one two](https://a.b/c%20d).\n`,
      [],
    ],
    ["ends a sentence before a code span", "page.md", `${words(20)}. \`code\` ${words(20)}.\n`, []],
    ["ignores a code block", "page.md", `\`\`\`sh\n${words(40)}\n\`\`\`\n`, []],
    ["checks a description in YAML", "contract.yaml", `a: 1\ndescription: ${words(26)}.\n`, [[2, TOO_LONG]]],
    [
      "checks a block of text in YAML",
      "contract.yaml",
      `info:\n  description: |\n    One.\n\n    ${words(26)}.\n`,
      [[5, TOO_LONG]],
    ],
    ["ignores another key in YAML", "contract.yaml", `example: ${words(26)}.\n`, []],
  ])("%s", (_, name, text, expected) => {
    const file = join(folder, name);
    writeFileSync(file, text);
    const { status, stdout } = spawnSync(process.execPath, [SCRIPT, name], { cwd: folder, encoding: "utf8" });
    const found = [...stdout.matchAll(/^\S*?:(\d+) (.*)$/gm)].map(([, line, error]) => [Number(line), error]);
    expect([found, status]).toEqual([expected, expected.length > 0 ? 1 : 0]);
  });

  test("prints the file, the sentence without links and emphasis, and the number of errors", () => {
    const file = join(folder, "shown.md");
    writeFileSync(file, `Page [\`a\`](b.md)\nholds, **grows** ${words(23)}. End.\n`);
    const { stdout } = spawnSync(process.execPath, [SCRIPT, file], { encoding: "utf8" });
    expect(stdout).toMatch(
      /shown\.md:1 sentence-length: 27 words, .*\n {4}Page `a` holds, grows Word( word){22}\.\nErrors in prose: 1 \(1 files checked\)\n$/,
    );
  });
});
