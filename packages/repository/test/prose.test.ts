import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const SCRIPT = resolve(import.meta.dirname, "../src/prose.ts");

const words = (count: number) => `Word${" word".repeat(count - 1)}`;
const LONG = "sentence-length: 26 words. Does it read at once?";

describe("the prose linter", () => {
  type Case = [name: string, file: string, text: string, expected: [line: number, hint: string][]];
  const cases: Case[] = [
    ["accepts a sentence of 25 words", "page.md", `Title\n\n${words(25)}. ${words(25)}.\n`, []],
    ["reports a longer sentence on its line", "page.md", `One.\nTwo.\n${words(20)}\n${words(6)}.\n`, [[3, LONG]]],
    ["counts the words of each list item", "page.md", `- ${words(25)}\n- ${words(26)}\n`, [[2, LONG]]],
    [
      "counts the words of each table cell",
      "page.md",
      `| a | b |\n|---|---|\n| ${words(25)} | ${words(26)} |\n`,
      [[3, LONG]],
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
    ["checks a description in YAML", "contract.yaml", `a: 1\ndescription: ${words(26)}.\n`, [[2, LONG]]],
    [
      "checks a block of text in YAML",
      "contract.yaml",
      `info:\n  description: |\n    One.\n\n    ${words(26)}.\n`,
      [[5, LONG]],
    ],
    ["ignores another key in YAML", "contract.yaml", `example: ${words(26)}.\n`, []],
  ];
  let folder: string;
  let printed: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "prose-"));
    const files = cases.map(([, file, text], at) => {
      writeFileSync(join(folder, `${at}-${file}`), text);
      return `${at}-${file}`;
    });
    printed = spawnSync(process.execPath, [SCRIPT, ...files], { cwd: folder, encoding: "utf8" }).stdout;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(cases.map(([name, file, , expected], at) => [name, `${at}-${file}`, expected] as const))(
    "%s",
    (_, file, expected) => {
      const found = [...printed.matchAll(/^(\S*?):(\d+) (.*)$/gm)].filter(([, path]) => basename(path!) === file);
      expect(found.map(([, , line, hint]) => [Number(line), hint])).toEqual(expected);
    },
  );

  test("exits with 0 for hints, and with 1 for a file that it cannot read", () => {
    writeFileSync(join(folder, "long.md"), `${words(26)}.\n`);
    const statusOf = (file: string) => spawnSync(process.execPath, [SCRIPT, file], { cwd: folder }).status;
    expect([statusOf("long.md"), statusOf("page.txt")]).toEqual([0, 1]);
  });

  test("prints the file, the sentence without links and emphasis, and the number of hints", () => {
    const file = join(folder, "shown.md");
    writeFileSync(file, `Page [\`a\`](b.md)\nholds, **grows** ${words(23)}. End.\n`);
    const { stdout } = spawnSync(process.execPath, [SCRIPT, file], { encoding: "utf8" });
    expect(stdout).toMatch(
      /shown\.md:1 sentence-length: 27 words\. .*\n {4}Page `a` holds, grows Word( word){22}\.\nHints in prose: 1 \(1 files checked\)\n$/,
    );
  });
});
