import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const SCRIPT = resolve(import.meta.dirname, "../src/prose.ts");

const words = (count: number) => `Word${" word".repeat(count - 1)}`;
const TOO_LONG = "sentence-length: 26 words, at most 25. Split it.";
const NOUN_FIRST = 'plain-words: "What". Begin with the noun, then the verb.';

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
    ["reports a noun clause as a subject", "page.md", "One.\nWhat is kept is never stale.\n", [[2, NOUN_FIRST]]],
    ["accepts a question", "page.md", "What is kept?\n", []],
    ["checks a description in YAML", "contract.yaml", `a: 1\ndescription: ${words(26)}.\n`, [[2, TOO_LONG]]],
    [
      "checks a block of text in YAML",
      "contract.yaml",
      "info:\n  description: |\n    One.\n\n    What is it.\n",
      [[5, NOUN_FIRST]],
    ],
    ["ignores another key in YAML", "contract.yaml", `example: What is kept. ${words(26)}.\n`, []],
    ["checks a block comment", "code.ts", "const a = 1;\n/**\n * One.\n *\n * What it does.\n */\n", [[5, NOUN_FIRST]]],
    ["checks line comments", "code.ts", "  // One.\n  // What it does.\nfoo();\n", [[2, NOUN_FIRST]]],
    ["accepts a long comment", "code.ts", `// ${words(26)}.\n`, []],
    ["ignores code", "code.ts", 'const a = "What it does.";\n', []],
  ])("%s", (_, name, text, expected) => {
    const file = join(folder, name);
    writeFileSync(file, text);
    const { status, stdout } = spawnSync(process.execPath, [SCRIPT, name], { cwd: folder, encoding: "utf8" });
    const found = [...stdout.matchAll(/^\S*?:(\d+) (.*)$/gm)].map(([, line, error]) => [Number(line), error]);
    expect([found, status]).toEqual([expected, expected.length > 0 ? 1 : 0]);
  });

  test("prints the file, the sentence without links and emphasis, and the number of errors", () => {
    const file = join(folder, "shown.md");
    writeFileSync(file, "What [`a`](b.md)\nholds, **grows**. End.\n");
    const { stdout } = spawnSync(process.execPath, [SCRIPT, file], { encoding: "utf8" });
    expect(stdout).toMatch(
      /shown\.md:1 plain-words: "What"\. Begin with .*\n {4}What `a` holds, grows\.\nErrors in prose: 1 \(1 files checked\)\n$/,
    );
  });
});
